"""What no card, and no clue of the house, is about: words of each language by category. Forms of them count, too."""

from croupier_engine.freedom_of_speech.options import Language

UNWANTED = {
    Language.EN: {
        "alcohol": "alcohol beer wine vodka whisky whiskey rum gin brandy champagne cocktail tequila liquor booze "
        "drunk hangover tavern brewery",
        "smoking": "cigarette cigar tobacco smoker hookah vape nicotine",
        "drugs": "drug cocaine heroin marijuana cannabis weed opium meth junkie",
        "gambling": "casino gambling roulette poker jackpot bookmaker",
        "sex": "sex sexy porn nude naked erotic bra panties condom brothel prostitute hooker stripper escort breast",
        "insults": "idiot moron stupid retard lunatic dumb fatso slut whore bitch bastard jerk sucker loser scum",
        "slurs": "spook negro gypsy chink coon cracker dyke fag faggot queer tranny midget cripple savage redskin "
        "squaw paki kraut gook oriental",
        "violence": "murder suicide rape torture corpse terrorist genocide massacre bomb",
        "religion and politics": "jesus christ allah koran bible satan communist nazi hitler stalin putin trump",
        "brands": "facebook google lego coca pepsi adidas nike ikea barbie disney xerox jacuzzi frisbee velcro "
        "kleenex rollerblade band-aid jeep ferrari instagram tiktok youtube whatsapp",
    },
    Language.RU: {
        "alcohol": "алкоголь пиво вино водка виски ром джин коньяк шампанское коктейль самогон пьяный похмелье пьяница",
        "smoking": "сигарета сигара табак курильщик кальян вейп никотин",
        "drugs": "наркотик кокаин героин марихуана конопля опиум наркоман",
        "gambling": "казино рулетка покер джекпот букмекер тотализатор",
        "sex": "секс порно голый эротика лифчик трусы презерватив бордель проститутка стриптиз",
        "insults": "идиот дебил тупой дурак дура кретин урод ублюдок сволочь шлюха сука лох козёл",
        "slurs": "негр чурка хач жид хохол москаль цыган кацап чукча пиндос узкоглазый педик карлик калека",
        "violence": "убийство самоубийство изнасилование пытка труп террорист геноцид бомба",
        "religion and politics": "иисус христос аллах коран библия сатана коммунист нацист гитлер сталин путин",
        "brands": "гугл лего кола пепси адидас найк икея барби дисней ксерокс джакузи памперс джип инстаграм ютуб",
    },
    Language.UK: {
        "alcohol": "алкоголь пиво вино горілка віскі ром джин коньяк шампанське коктейль самогон п'яний похмілля",
        "smoking": "сигарета сигара тютюн курець кальян вейп нікотин",
        "drugs": "наркотик кокаїн героїн марихуана коноплі опіум наркоман",
        "gambling": "казино рулетка покер джекпот букмекер тоталізатор",
        "sex": "секс порно голий еротика ліфчик труси презерватив бордель повія стриптиз",
        "insults": "ідіот дебіл тупий дурень кретин виродок мерзота шльондра сука лох",
        "slurs": "негр чурка жид хохол москаль циган кацап чукча вузькоокий педик карлик каліка",
        "violence": "вбивство самогубство зґвалтування тортури труп терорист геноцид бомба",
        "religion and politics": "ісус христос аллах коран біблія сатана комуніст нацист гітлер сталін путін",
        "brands": "гугл лего кола пепсі адідас найк ікея барбі дісней ксерокс джакузі памперс джип інстаграм ютуб",
    },
}
