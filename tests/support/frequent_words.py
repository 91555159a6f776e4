"""Frequent words of each language, which a clue should be free to have."""

from croupier_engine.freedom_of_speech.options import Language

FREQUENT = {
    Language.EN: """
        time year people way day man woman thing child world school family student group country problem hand part
        place case week company system program question work number night point home water room mother area money
        story fact month lot right study book eye job word business issue side kind head house service friend father
        power hour game line end member car city community name team minute idea body back parent face level office
        door health person art history party result change morning reason girl guy moment air teacher force be have
        do say get make go know take see come think look want give use find tell ask seem feel try leave call good
        new first last long great little own other old big high different small large next early young important few
        public bad same able used fear dream deal eat drink run walk play sleep wear open close buy sell read write
        speak hear live stand sit move fly swim sing wash cook cut hot cold white black red green blue yellow brown
        grey round flat sharp soft hard sweet sour wet dry light dark fast slow heavy strong animal bird fish fruit
        food plant machine music sport tool clothes toy colour shape sound smell taste grow hold keep put turn start
        stop show help need many much some any very often always never something someone somebody where when what
        who why how into over under around between above below inside outside before after with without like
    """,
    Language.RU: """
        время год человек люди дело жизнь день рука раз работа слово место лицо друг глаз вопрос дом сторона страна
        мир случай голова ребёнок сила конец вид система часть город отношение женщина деньги земля машина вода отец
        проблема час право нога решение дверь образ история власть закон война бог голос тысяча книга возможность
        результат ночь стол имя область статья число компания народ жена группа развитие процесс суд условие
        средство начало свет пора путь душа уровень форма связь минута улица вечер качество мысль дорога мать
        действие быть мочь сказать говорить знать стать есть хотеть видеть идти стоять думать спросить жить смотреть
        сидеть понять иметь делать взять сделать понимать казаться давать пойти увидеть остаться выйти дать работать
        новый большой должен последний российский общий высокий хороший главный лучший маленький молодой старый
        другой самый первый второй белый чёрный красный синий зелёный жёлтый серый круглый длинный короткий острый
        мягкий твёрдый сладкий кислый мокрый сухой горячий холодный тёмный светлый быстрый медленный тяжёлый лёгкий
        сильный умный животное птица рыба фрукт еда растение музыка спорт инструмент одежда игрушка цвет звук запах
        вкус расти держать носить носят открывать закрывать пить спать летать плавать петь резать варить воздушный
        великий фраза шестой путешествие что-то кто-то много очень часто всегда никогда где когда почему потому
        чтобы между над под после перед без для как
    """,
    Language.UK: """
        час рік людина люди справа життя день рука раз робота слово місце обличчя друг око питання дім сторона
        країна світ випадок голова дитина сила кінець вид система частина місто відношення жінка гроші земля машина
        вода батько проблема година право нога рішення двері образ історія влада закон війна бог голос тисяча книга
        можливість результат ніч стіл ім'я область стаття число народ дружина група розвиток суд умова засіб початок
        світло шлях душа рівень форма зв'язок хвилина вулиця вечір якість думка дорога мати дія річ міст звір сніг
        лід сік бути могти сказати говорити знати стати є хотіти бачити йти стояти думати спитати жити дивитися
        сидіти зрозуміти робити взяти зробити давати піти побачити залишитися вийти дати працювати новий великий
        останній спільний високий хороший головний кращий маленький малий молодий старий інший перший другий білий
        чорний червоний синій зелений жовтий сірий круглий довгий короткий гострий м'який твердий солодкий кислий
        мокрий сухий гарячий холодний темний світлий швидкий повільний важкий легкий сильний розумний новорічний
        тварина птах риба фрукт їжа рослина музика спорт інструмент одяг іграшка колір звук запах смак рости тримати
        носити носять відкривати закривати їсти пити спати літати плавати співати різати варити щось хтось багато
        дуже часто завжди ніколи де коли чому тому щоб між над під після перед без для як котити голий гіркий
        веселий чайка вовна літо зима осінь весна дерево ліс гора річка море
    """,
}
# Those that are forms or parts of a card's word: whoever has that card may not say them.
TAKEN = {
    Language.EN: {
        "time": ["time machine", "time zone"],
        "year": ["light year"],
        "man": ["best man"],
        "school": ["school"],
        "hand": ["hand", "second hand"],
        "system": ["solar system"],
        "number": ["prime number"],
        "night": ["night owl"],
        "mother": ["mother tongue"],
        "book": ["book"],
        "eye": ["eye", "eye contact"],
        "power": ["nuclear power"],
        "car": ["car"],
        "body": ["body language"],
        "office": ["police officer"],
        "door": ["door"],
        "teacher": ["teacher"],
        "first": ["first impression"],
        "small": ["small talk"],
        "stand": ["standing ovation"],
        "swim": ["swimming"],
        "white": ["white lie"],
        "black": ["black hole", "black sheep"],
        "light": ["light year", "northern lights"],
        "machine": ["time machine"],
        "outside": ["underdog"],
    },
    Language.RU: {
        "человек": ["снежный человек"],
        "рука": ["рука"],
        "глаз": ["глаз"],
        "дом": ["дом"],
        "мир": ["параллельный мир"],
        "голова": ["голова"],
        "деньги": ["деньги"],
        "машина": ["машина", "машина времени"],
        "вода": ["круговорот воды"],
        "час": ["часы", "час пик"],
        "нога": ["нога"],
        "дверь": ["дверь"],
        "закон": ["закон подлости"],
        "книга": ["книга", "красная книга"],
        "стол": ["стол"],
        "свет": ["скорость света"],
        "путь": ["млечный путь", "шёлковый путь"],
        "дорога": ["железная дорога"],
        "большой": ["большой взрыв"],
        "белый": ["белая ворона"],
        "чёрный": ["чёрная дыра"],
        "красный": ["красная книга"],
        "острый": ["остров"],
        "птица": ["жар-птица"],
        "носить": ["нос"],
        "носят": ["нос"],
        "великий": ["велосипед"],
        "путешествие": ["кругосветное путешествие"],
    },
    Language.UK: {
        "рука": ["рука"],
        "око": ["око"],
        "дім": ["будинок"],
        "випадок": ["випадковість"],
        "сила": ["сила волі"],
        "машина": ["машина", "машина часу"],
        "нога": ["нога"],
        "двері": ["двері"],
        "образ": ["образа"],
        "книга": ["книга"],
        "стіл": ["стіл"],
        "світло": ["швидкість світла"],
        "шлях": ["дорога"],
        "дорога": ["дорога"],
        "міст": ["міст"],
        "сніг": ["сніг"],
        "сік": ["сік"],
        "чорний": ["чорна діра"],
        "світлий": ["швидкість світла"],
        "швидкий": ["швидкість світла"],
        "риба": ["риба"],
        "інструмент": ["електрика"],
        "дерево": ["дерево"],
        "ліс": ["ліс"],
        "гора": ["гора"],
        "річка": ["річка"],
        "море": ["море"],
    },
}
