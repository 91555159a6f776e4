"""The catalogue of errors: reason -> gRPC code -> HTTP status -> texts. Data only.

`{name}` in a text stands for an entry of the error's metadata; `{name:second|seconds}` for a number with its noun, the
forms in the order of croupier.locales. A text says what to do, and never names a card that the caller may not know.
"""

from collections.abc import Mapping
from typing import NamedTuple

from croupier.locales import LOCALES, language_of, with_noun

DOMAIN = "croupier"


class Entry(NamedTuple):
    """How one reason is told: `code` is the name of a gRPC status code, `http` an HTTP status, texts are by locale."""

    code: str
    http: int
    en: str
    ru: str
    uk: str

    def text(self, locale: str, metadata: Mapping[str, str]) -> str:
        """The text in a language, filled in; English where that language is not kept."""
        language = _kept(locale)
        template: str = getattr(self, language)
        return template.format_map(_Values(language, metadata, "?"))

    def outline(self, locale: str) -> str:
        """The text in a language with the names of what is filled in: "Try again in {retry_after} seconds."."""
        language = _kept(locale)
        template: str = getattr(self, language)
        return template.format_map(_Values(language, {}, "{}"))


def _kept(locale: str) -> str:
    language = language_of(locale)
    return language if language in LOCALES else "en"


class _Value(str):
    """What is filled in; with a specification, the noun's form that belongs to it follows."""

    language: str

    @classmethod
    def of(cls, text: str, language: str) -> "_Value":
        value = cls(text)
        value.language = language
        return value

    def __format__(self, forms: str) -> str:
        return with_noun(self.language, str(self), forms) if forms else str(self)


class _Values(dict[str, _Value]):
    """Metadata in a language; `blank` stands for an entry that is not there, `{}` in it for the entry's name."""

    def __init__(self, language: str, metadata: Mapping[str, str], blank: str) -> None:
        super().__init__({name: _Value.of(text, language) for name, text in metadata.items()})
        self._language = language
        self._blank = blank

    def __missing__(self, key: str) -> _Value:
        return _Value.of(self._blank.replace("{}", f"{{{key}}}"), self._language)


_MALFORMED = ("INVALID_ARGUMENT", 400)
_RULES = ("FAILED_PRECONDITION", 422)
_CONFLICT = ("FAILED_PRECONDITION", 409)
_STALE = ("ABORTED", 409)
_NOT_FOUND = ("NOT_FOUND", 404)
_FORBIDDEN = ("PERMISSION_DENIED", 403)
_BUSY = ("UNAVAILABLE", 503)

CATALOGUE: Mapping[str, Entry] = {
    # Malformed requests.
    "INVALID_FIELD": Entry(
        *_MALFORMED,
        en="The field {field} is not valid: {problem}.",
        ru="Поле {field} задано неверно: {problem}.",
        uk="Поле {field} задано неправильно: {problem}.",
    ),
    "MALFORMED_JSON": Entry(
        *_MALFORMED,
        en="The body is not the JSON object that this call takes: {problem}.",
        ru="Тело запроса — не тот объект JSON, которого ждёт этот вызов: {problem}.",
        uk="Тіло запиту — не той об'єкт JSON, на який чекає цей виклик: {problem}.",
    ),
    "WRONG_GAME": Entry(
        *_MALFORMED,
        en="The field {field} belongs to another game; this match is {game}.",
        ru="Поле {field} относится к другой игре; здесь играют в {game}.",
        uk="Поле {field} належить іншій грі; тут грають у {game}.",
    ),
    "OPTION_INVALID": Entry(
        *_MALFORMED,
        en="The option {option} cannot have this value: {problem}.",
        ru="Параметр {option} не может иметь такого значения: {problem}.",
        uk="Параметр {option} не може мати такого значення: {problem}.",
    ),
    "SEATS_INVALID": Entry(
        *_MALFORMED,
        en="{game} is played by {min} to {max:player|players}, not by {seats}.",
        ru="В {game} играют от {min} до {max:игрока|игроков|игроков}; указано {seats}.",
        uk="У {game} грають від {min} до {max:гравця|гравців|гравців}; вказано {seats}.",
    ),
    "DECK_SEATS_INVALID": Entry(
        *_MALFORMED,
        en="{game} with {deck:card|cards} is played by {min} to {max:player|players}, not by {seats}. Change "
        "seats, or the option deck.",
        ru="В {game} на {deck:карту|карты|карт} играют от {min} до {max:игрока|игроков|игроков}; указано {seats}. "
        "Измените seats или параметр deck.",
        uk="У {game} на {deck:карту|карти|карт} грають від {min} до {max:гравця|гравців|гравців}; вказано {seats}. "
        "Змініть seats або параметр deck.",
    ),
    "PRESET_NOT_FOUND": Entry(
        *_MALFORMED,
        en="{game} has no preset {preset}. Pick one that GET /v1/games/{game} lists.",
        ru="У {game} нет набора {preset}. Выберите один из списка: GET /v1/games/{game}.",
        uk="У {game} немає набору {preset}. Виберіть один зі списку: GET /v1/games/{game}.",
    ),
    "CHOICE_OUT_OF_RANGE": Entry(
        *_MALFORMED,
        en="There is no choice {choice}; this window has {choices:choice|choices}. Count from 0.",
        ru="Варианта {choice} нет; в этом окне {choices:вариант|варианта|вариантов}. Счёт с 0.",
        uk="Варіанта {choice} немає; у цьому вікні {choices:варіант|варіанти|варіантів}. Лік від 0.",
    ),
    "ACTION_WANTED": Entry(
        *_MALFORMED,
        en="What you can do here is not a list of choices. Send an action: {expected}.",
        ru="То, что вы здесь можете, — не список вариантов. Пришлите действие: {expected}.",
        uk="Те, що ви тут можете, — не список варіантів. Надішліть дію: {expected}.",
    ),
    "PAGE_TOKEN_INVALID": Entry(
        *_MALFORMED,
        en="This page token was not made by this listing. Start again without one.",
        ru="Этот page token выдан не этим списком. Начните без него.",
        uk="Цей page token видано не цим списком. Почніть без нього.",
    ),
    "CURSOR_INVALID": Entry(
        *_MALFORMED,
        en="Event {after} is not of this match as it is; the last is {sequence}. Get the match and go on from there.",
        ru="Такого события {after} в матче сейчас нет; последнее — {sequence}. Запросите матч, начните с его sequence.",
        uk="Такої події {after} у матчі зараз немає; остання — {sequence}. Запитайте матч, почніть з його sequence.",
    ),
    "FEED_CURSOR_INVALID": Entry(
        *_MALFORMED,
        en="This cursor was not made by this feed. Start again without one.",
        ru="Этот курсор выдан не этой лентой. Начните без него.",
        uk="Цей курсор видано не цією стрічкою. Почніть без нього.",
    ),
    "HELLO_EXPECTED": Entry(
        *_MALFORMED,
        en="The first message of this stream must be hello, and it is sent once.",
        ru="Первым сообщением потока должно быть hello, и только один раз.",
        uk="Першим повідомленням потоку має бути hello, і лише один раз.",
    ),
    # Who is calling.
    "UNAUTHENTICATED": Entry(
        "UNAUTHENTICATED",
        401,
        en="No token that is known here came along. Send `authorization: Bearer <token>`; POST /v1/players makes one.",
        ru="Известного здесь токена нет. Пришлите `authorization: Bearer <token>`; его выдаёт POST /v1/players.",
        uk="Відомого тут токена немає. Надішліть `authorization: Bearer <token>`; його видає POST /v1/players.",
    ),
    "NOT_SEATED": Entry(
        *_FORBIDDEN,
        en="You have no seat in this match.",
        ru="У вас нет места в этом матче.",
        uk="У вас немає місця в цьому матчі.",
    ),
    "NOT_HOST": Entry(
        *_FORBIDDEN,
        en="Only the host of this match can do that.",
        ru="Это может сделать только хозяин матча.",
        uk="Це може зробити лише господар матчу.",
    ),
    "JOIN_CODE_WRONG": Entry(
        *_FORBIDDEN,
        en="This match is private. Send its join code as joinCode; the host has it.",
        ru="Это закрытый матч. Пришлите его код в поле joinCode; код есть у хозяина.",
        uk="Це закритий матч. Надішліть його код у полі joinCode; код є в господаря.",
    ),
    # What is not there.
    "NOT_FOUND": Entry(
        *_NOT_FOUND,
        en="There is nothing at this address.",
        ru="По этому адресу ничего нет.",
        uk="За цією адресою нічого немає.",
    ),
    "GAME_NOT_FOUND": Entry(
        *_NOT_FOUND,
        en="There is no game {game} here. GET /v1/games lists what can be played.",
        ru="Игры {game} здесь нет. Список игр: GET /v1/games.",
        uk="Гри {game} тут немає. Список ігор: GET /v1/games.",
    ),
    "PLAYER_NOT_FOUND": Entry(
        *_NOT_FOUND,
        en="There is no player {player}.",
        ru="Игрока {player} нет.",
        uk="Гравця {player} немає.",
    ),
    "MATCH_NOT_FOUND": Entry(
        *_NOT_FOUND,
        en="There is no match {match} that you can see.",
        ru="Матча {match}, который вам виден, нет.",
        uk="Матчу {match}, який вам видно, немає.",
    ),
    "METHOD_NOT_ALLOWED": Entry(
        "UNIMPLEMENTED",
        405,
        en="This address takes another method: {allow}.",
        ru="По этому адресу нужен другой метод: {allow}.",
        uk="За цією адресою потрібен інший метод: {allow}.",
    ),
    # The body, before it is read.
    "BODY_TOO_LARGE": Entry(
        "INVALID_ARGUMENT",
        413,
        en="The body may have {limit:byte|bytes} at most.",
        ru="Тело запроса может иметь не больше {limit:байта|байт|байт}.",
        uk="Тіло запиту може мати не більше {limit:байта|байтів|байтів}.",
    ),
    "UNSUPPORTED_MEDIA_TYPE": Entry(
        "INVALID_ARGUMENT",
        415,
        en="Send the body as application/json, in UTF-8 and uncompressed.",
        ru="Пришлите тело как application/json, в UTF-8 и без сжатия.",
        uk="Надішліть тіло як application/json, в UTF-8 і без стиснення.",
    ),
    # Conflicts with how things stand.
    "MATCH_EXISTS": Entry(
        "ALREADY_EXISTS",
        409,
        en="There is a match {match} already. Choose another id.",
        ru="Матч {match} уже есть. Выберите другой id.",
        uk="Матч {match} вже є. Виберіть інший id.",
    ),
    "REQUEST_ID_REUSED": Entry(
        "ALREADY_EXISTS",
        409,
        en="You used this request id for another request. Use a new one.",
        ru="Этот request id уже был у другого запроса. Возьмите новый.",
        uk="Цей request id уже був в іншого запиту. Візьміть новий.",
    ),
    "MATCH_NOT_OPEN": Entry(
        *_CONFLICT,
        en="This match is {state}; that can only be done while it is OPEN.",
        ru="Матч в состоянии {state}; это можно сделать, только пока он OPEN.",
        uk="Матч у стані {state}; це можна зробити, лише поки він OPEN.",
    ),
    "MATCH_NOT_STARTED": Entry(
        *_CONFLICT,
        en="This match has not started.",
        ru="Этот матч ещё не начался.",
        uk="Цей матч ще не почався.",
    ),
    "MATCH_NOT_OVER": Entry(
        *_CONFLICT,
        en="The replay shows all cards, so it is there once the match is over. This one is {state}.",
        ru="В записи видны все карты, поэтому она доступна после конца матча. Этот — {state}.",
        uk="У записі видно всі карти, тому він доступний після кінця матчу. Цей — {state}.",
    ),
    "MATCH_FULL": Entry(
        *_CONFLICT,
        en="All seats of this match are taken.",
        ru="Все места в этом матче заняты.",
        uk="Усі місця в цьому матчі зайняті.",
    ),
    "SEAT_TAKEN": Entry(
        *_CONFLICT,
        en="Seat {seat} is taken or not there. Leave `seat` out to get a free one.",
        ru="Место {seat} занято, или его нет. Не указывайте seat, чтобы получить свободное.",
        uk="Місце {seat} зайняте, або його немає. Не вказуйте seat, щоб отримати вільне.",
    ),
    "ALREADY_SEATED": Entry(
        *_CONFLICT,
        en="You sit in this match already, in seat {seat}.",
        ru="Вы уже сидите в этом матче, место {seat}.",
        uk="Ви вже сидите в цьому матчі, місце {seat}.",
    ),
    "NO_BOT_FREE": Entry(
        *_CONFLICT,
        en="No bot is free for: {wanted}. Offered here now: {offered}. Nothing was changed; a bot sits at a table "
        "once, so ask for fewer or for others, or try again later.",
        ru="Нет свободного бота: {wanted}. Сейчас предлагают: {offered}. Ничего не изменилось; бот садится за стол "
        "один раз, попросите меньше или других, или повторите позже.",
        uk="Немає вільного бота: {wanted}. Зараз пропонують: {offered}. Нічого не змінилося; бот сідає за стіл "
        "один раз, попросіть менше або інших, або повторіть пізніше.",
    ),
    "STALE_WINDOW": Entry(
        *_STALE,
        en="The window {window} is closed. Look at the present one and answer that.",
        ru="Окно {window} закрыто. Посмотрите на нынешнее и отвечайте в нём.",
        uk="Вікно {window} закрите. Подивіться на нинішнє й відповідайте в ньому.",
    ),
    "SEAT_EPOCH_STALE": Entry(
        *_STALE,
        en="Somebody else has come to play for this seat since. Look at the match again before you act.",
        ru="Теперь за это место играет другой. Посмотрите на матч ещё раз, прежде чем ходить.",
        uk="Тепер за це місце грає інший. Подивіться на матч ще раз, перш ніж ходити.",
    ),
    "OUT_OF_TIME": Entry(
        *_STALE,
        en="Your time for the window {window} was up; the clock plays for you.",
        ru="Время в окне {window} вышло; за вас ходят часы.",
        uk="Час у вікні {window} вийшов; за вас ходить годинник.",
    ),
    # What the rules refuse.
    "GAME_OVER": Entry(
        *_RULES,
        en="The game is over.",
        ru="Игра окончена.",
        uk="Гру закінчено.",
    ),
    "NOT_ASKED": Entry(
        *_RULES,
        en="This window does not wait for you.",
        ru="Это окно ждёт не вас.",
        uk="Це вікно чекає не на вас.",
    ),
    "ALREADY_COMMITTED": Entry(
        *_RULES,
        en="You have chosen already, and a card laid is laid.",
        ru="Вы уже выбрали, а положенную карту назад не берут.",
        uk="Ви вже вибрали, а покладену карту назад не беруть.",
    ),
    "ALREADY_RESIGNED": Entry(
        *_RULES,
        en="You gave up already.",
        ru="Вы уже сдались.",
        uk="Ви вже здалися.",
    ),
    "WRONG_ACTION": Entry(
        *_RULES,
        en="That action is not open to you now. Choose one of these: {expected}.",
        ru="Это действие вам сейчас недоступно. Выберите одно из этих: {expected}.",
        uk="Ця дія вам зараз недоступна. Виберіть одну з цих: {expected}.",
    ),
    "CARD_NOT_HELD": Entry(
        *_RULES,
        en="You do not hold {card}. Choose a card of your hand.",
        ru="У вас нет карты {card}. Выберите карту из руки.",
        uk="У вас немає карти {card}. Виберіть карту з руки.",
    ),
    "CARD_NOT_OFFERED": Entry(
        *_RULES,
        en="The card {card} is not in the pool. Pick one that lies open.",
        ru="Карты {card} нет среди открытых. Возьмите одну из лежащих.",
        uk="Карти {card} немає серед відкритих. Візьміть одну з тих, що лежать.",
    ),
    "ROW_OUT_OF_RANGE": Entry(
        *_RULES,
        en="There is no row {row}. Rows are 0 to 3.",
        ru="Ряда {row} нет. Ряды — от 0 до 3.",
        uk="Ряду {row} немає. Ряди — від 0 до 3.",
    ),
    "SIDE_INVALID": Entry(
        *_RULES,
        en="Choose LEFT or RIGHT.",
        ru="Выберите LEFT или RIGHT.",
        uk="Виберіть LEFT або RIGHT.",
    ),
    "CARD_MISSING": Entry(
        *_RULES,
        en="A card is missing. Name each by rank and suit, such as 6S or TH; beat takes two, `attack` and `card`.",
        ru="Не хватает карты. Назовите каждую достоинством и мастью, например 6S или TH; для beat их две: `attack` и "
        "`card`.",
        uk="Бракує карти. Назвіть кожну рангом і мастю, наприклад 6S або TH; для beat їх дві: `attack` і `card`.",
    ),
    "CARD_TWICE": Entry(
        *_RULES,
        en="{card} is named twice. Name each card once.",
        ru="Карта {card} названа дважды. Назовите каждую карту один раз.",
        uk="Карту {card} названо двічі. Назвіть кожну карту один раз.",
    ),
    "ONE_CARD_ONLY": Entry(
        *_RULES,
        en="At this table you lay one card here, by the option {option}. Name one.",
        ru="За этим столом здесь кладут одну карту: таков параметр {option}. Назовите одну.",
        uk="За цим столом тут кладуть одну карту: такий параметр {option}. Назвіть одну.",
    ),
    "CARD_NOT_ON_TABLE": Entry(
        *_RULES,
        en="There is no attack card {card} on the table. Choose one that lies there.",
        ru="На столе нет карты {card}, которую нужно бить. Выберите одну из лежащих.",
        uk="На столі немає карти {card}, яку треба бити. Виберіть одну з тих, що лежать.",
    ),
    "RANK_MISMATCH": Entry(
        *_RULES,
        en="These cards are not of one rank. Lay cards of one rank, or a single one.",
        ru="Это карты разного достоинства. Положите карты одного достоинства или только одну.",
        uk="Це карти різного рангу. Покладіть карти одного рангу або лише одну.",
    ),
    "THROW_MISMATCH": Entry(
        *_RULES,
        en="Nothing on the table matches {card}: the option {option} is {value}. Throw in one that matches, or none.",
        ru="Карте {card} на столе ничто не подходит: параметр {option} — {value}. Подкиньте подходящую или никакую.",
        uk="Карті {card} на столі ніщо не пасує: параметр {option} — {value}. Підкиньте ту, що пасує, або жодної.",
    ),
    "CAP_REACHED": Entry(
        *_RULES,
        en="Too many attack cards: the limit here is {limit}. Lay fewer, or none.",
        ru="Слишком много карт атаки: предел здесь — {limit}. Положите меньше или ни одной.",
        uk="Забагато карт атаки: межа тут — {limit}. Покладіть менше або жодної.",
    ),
    "BEATEN_ALREADY": Entry(
        *_RULES,
        en="{card} is beaten already, by {by}. Choose a card that is not.",
        ru="{card} уже побита картой {by}. Выберите непобитую карту.",
        uk="{card} вже побита картою {by}. Виберіть непобиту карту.",
    ),
    "DOES_NOT_BEAT": Entry(
        *_RULES,
        en="{card} does not beat {attack}. Lay a higher card of its suit or a trump, or take.",
        ru="{card} не бьёт {attack}. Положите старшую карту той же масти или козырь либо возьмите.",
        uk="{card} не б'є {attack}. Покладіть старшу карту тієї ж масті або козир чи візьміть.",
    ),
    "NOT_YOUR_TURN": Entry(
        *_RULES,
        en="It is another player's turn to throw in. Wait for yours, or pass ahead.",
        ru="Сейчас подкидывает другой. Дождитесь своей очереди или скажите «пас» заранее.",
        uk="Зараз підкидає інший. Дочекайтеся своєї черги або скажіть «пас» заздалегідь.",
    ),
    "THROW_NOT_ALLOWED": Entry(
        *_RULES,
        en="You cannot throw in here, by this table's option {option}. Wait until you are asked.",
        ru="Подкинуть здесь вы не можете: таков параметр стола {option}. Дождитесь, когда вас спросят.",
        uk="Підкинути тут ви не можете: такий параметр столу {option}. Дочекайтеся, коли вас запитають.",
    ),
    "THROW_AT_TEAM_MATE": Entry(
        *_RULES,
        en="Your team-mate defends. Throw in when an opponent does.",
        ru="Отбивается ваш партнёр. Подкидывайте, когда отбивается соперник.",
        uk="Відбивається ваш партнер. Підкидайте, коли відбивається суперник.",
    ),
    "TRANSFER_NOT_ALLOWED": Entry(
        *_RULES,
        en="This attack cannot be passed on, by this table's option {option}. Beat it, or take.",
        ru="Эту атаку перевести нельзя: таков параметр стола {option}. Бейтесь или возьмите.",
        uk="Цю атаку перевести не можна: такий параметр столу {option}. Відбивайтеся або візьміть.",
    ),
    "TRANSFER_MISMATCH": Entry(
        *_RULES,
        en="{card} is not of the rank of {attack}. Pass the attack on with a card of that rank, beat it, or take.",
        ru="{card} — не того достоинства, что {attack}. Переведите картой этого достоинства, бейтесь или возьмите.",
        uk="{card} — не того рангу, що {attack}. Переведіть картою цього рангу, відбивайтеся або візьміть.",
    ),
    "TRANSFER_MIXED": Entry(
        *_RULES,
        en="What is not beaten is of several ranks, so it cannot be passed on. Beat it, or take.",
        ru="Непобитые карты — разного достоинства, перевести их нельзя. Бейтесь или возьмите.",
        uk="Непобиті карти — різного рангу, перевести їх не можна. Відбивайтеся або візьміть.",
    ),
    "TRANSFER_AFTER_BEAT": Entry(
        *_RULES,
        en="You have beaten a card, and after that an attack cannot be passed on. Beat the rest, or take.",
        ru="Вы уже побили карту, а после этого не переводят. Бейте остальное или возьмите.",
        uk="Ви вже побили карту, а після цього не переводять. Бийте решту або візьміть.",
    ),
    "TRANSFER_NO_TARGET": Entry(
        *_RULES,
        en="Nobody else has cards, so there is nobody to pass the attack on to. Beat it, or take.",
        ru="Карт больше ни у кого нет, переводить не на кого. Бейтесь или возьмите.",
        uk="Карт більше ні в кого немає, переводити нема на кого. Відбивайтеся або візьміть.",
    ),
    "TRANSFER_HAND_TOO_SMALL": Entry(
        *_RULES,
        en="Seat {seat} holds {hand:card|cards}, fewer than would have to be beaten. Beat the attack, or take.",
        ru="У места {seat} {hand:карта|карты|карт}: меньше, чем пришлось бы бить. Бейтесь или возьмите.",
        uk="У місця {seat} {hand:карта|карти|карт}: менше, ніж довелося б бити. Відбивайтеся або візьміть.",
    ),
    "CLAIM_NOT_ALLOWED": Entry(
        *_RULES,
        en="No new deal can be asked for at this table, by its option {option}. Play with the cards you have.",
        ru="За этим столом пересдачу просить нельзя: таков параметр {option}. Играйте тем, что есть.",
        uk="За цим столом перездачу просити не можна: такий параметр {option}. Грайте тим, що є.",
    ),
    "CLAIMS_USED_UP": Entry(
        *_RULES,
        en="A game has {most:new deal|new deals} at most, and this one has had them. Play with the cards you have.",
        ru="В партии не больше {most:пересдачи|пересдач|пересдач}, и они уже были. Играйте тем, что есть.",
        uk="У партії не більше {most:перездачі|перездач|перездач}, і вони вже були. Грайте тим, що є.",
    ),
    "CLAIM_TOO_LATE": Entry(
        *_RULES,
        en="It is too late for a new deal; one can be asked for at the start of a game only.",
        ru="Просить пересдачу поздно: это можно только в начале партии.",
        uk="Просити перездачу пізно: це можна лише на початку партії.",
    ),
    "CLAIM_WITHOUT_FIVE": Entry(
        *_RULES,
        en="You were not dealt five cards of one suit, so you cannot ask for a new deal.",
        ru="Вам не сдали пяти карт одной масти, поэтому просить пересдачу вы не можете.",
        uk="Вам не здали п'яти карт однієї масті, тож просити перездачу ви не можете.",
    ),
    "NOT_YOUR_PART": Entry(
        *_RULES,
        en="The action {action} is not yours now. The giver gives clues, his team-mates guess, opponents flag fouls; "
        "a rule is written once after a buzz, by one of them, where this table has rules.",
        ru="Действие {action} сейчас не ваше. Ведущий объясняет, его команда угадывает, соперники отмечают фолы; "
        "правило после сигнала пишет один из них и только раз, если за этим столом есть правила.",
        uk="Дія {action} зараз не ваша. Ведучий пояснює, його команда вгадує, суперники позначають фоли; "
        "правило після сигналу пише один із них і лише раз, якщо за цим столом є правила.",
    ),
    "SKIP_WITHOUT_CARDS": Entry(
        *_RULES,
        en="Your team has no card that it could give up for this one. Explain it, or wait for the buzz.",
        ru="У вашей команды нет карты, которую можно отдать за эту. Объясняйте или ждите сигнала.",
        uk="У вашої команди немає картки, яку можна віддати за цю. Пояснюйте або чекайте сигналу.",
    ),
    "TEXT_INVALID": Entry(
        *_RULES,
        en="This text cannot be sent: it takes letters of the words' language, or digits; at most 200 characters in "
        "a clue, 100 in a guess, 140 in a rule.",
        ru="Такой текст отправить нельзя: нужны буквы языка слов или цифры; не больше 200 символов в подсказке, "
        "100 в догадке, 140 в правиле.",
        uk="Такий текст надіслати не можна: потрібні літери мови слів або цифри; не більше 200 символів у підказці, "
        "100 у здогаді, 140 у правилі.",
    ),
    "TOO_FAST": Entry(
        "RESOURCE_EXHAUSTED",
        429,
        en="At most {limit} messages a second. Try again in {retry_after:second|seconds}.",
        ru="Не больше {limit} сообщений в секунду. Повторите через {retry_after:секунду|секунды|секунд}.",
        uk="Не більше {limit} повідомлень за секунду. Повторіть через {retry_after:секунду|секунди|секунд}.",
    ),
    "TIMER_RUN_OUT": Entry(
        *_STALE,
        en="The time was up before this came in. Wait for the next turn.",
        ru="Время вышло раньше, чем это пришло. Дождитесь следующего хода.",
        uk="Час вийшов раніше, ніж це надійшло. Дочекайтеся наступного ходу.",
    ),
    "CLUE_UNKNOWN": Entry(
        *_RULES,
        en="There was no clue {clue}. The view lists those that can be flagged.",
        ru="Подсказки {clue} не было. Те, что можно отметить, перечислены в view.",
        uk="Підказки {clue} не було. Ті, що можна позначити, перелічені у view.",
    ),
    "FLAG_TOO_LATE": Entry(
        *_RULES,
        en="Clue {clue} can be flagged no more: it was given too long ago, or is settled.",
        ru="Подсказку {clue} уже нельзя отметить: прошло слишком много времени, или она решена.",
        uk="Підказку {clue} вже не можна позначити: минуло забагато часу, або її вирішено.",
    ),
    "FLAGGED_ALREADY": Entry(
        *_RULES,
        en="You have flagged clue {clue} already.",
        ru="Подсказку {clue} вы уже отметили.",
        uk="Підказку {clue} ви вже позначили.",
    ),
    # What only the server can ask wrongly; listed so that no reason lacks a text.
    "DEAL_NOT_ASKED": Entry(
        *_RULES,
        en="No deal is wanted now.",
        ru="Раздача сейчас не нужна.",
        uk="Роздача зараз не потрібна.",
    ),
    "DEAL_INVALID": Entry(
        *_RULES,
        en="The order of a deal must name each of {size:card|cards} once.",
        ru="Порядок раздачи должен называть каждую из {size:карты|карт|карт} один раз.",
        uk="Порядок роздачі має називати кожну з {size:карти|карт|карт} один раз.",
    ),
    "TICK_EARLY": Entry(
        *_RULES,
        en="No timer of the rules is due.",
        ru="Ни один таймер правил ещё не сработал.",
        uk="Жоден таймер правил ще не спрацював.",
    ),
    # Limits and outages.
    "RATE_LIMITED": Entry(
        "RESOURCE_EXHAUSTED",
        429,
        en="Too many: the limit is {limit}. Try again in {retry_after:second|seconds}.",
        ru="Слишком часто: предел — {limit}. Повторите через {retry_after:секунду|секунды|секунд}.",
        uk="Надто часто: межа — {limit}. Повторіть через {retry_after:секунду|секунди|секунд}.",
    ),
    "OVERLOADED": Entry(
        *_BUSY,
        en="Too many calls are waiting ({limit}). Try again in {retry_after:second|seconds}.",
        ru="Слишком много ожидающих вызовов ({limit}). Повторите через {retry_after:секунду|секунды|секунд}.",
        uk="Надто багато викликів очікує ({limit}). Повторіть через {retry_after:секунду|секунди|секунд}.",
    ),
    "CONTENDED": Entry(
        *_BUSY,
        en="Too many changed this match at the same moment, and nothing of yours was done. Send the same again.",
        ru="Матч меняли слишком многие одновременно, ваш запрос не выполнен. Пришлите тот же запрос ещё раз.",
        uk="Матч змінювали надто багато учасників водночас, ваш запит не виконано. Надішліть той самий запит ще раз.",
    ),
    "UNAVAILABLE": Entry(
        *_BUSY,
        en="The service cannot be reached for the moment. Send the same request, with the same id, in "
        "{retry_after:second|seconds}.",
        ru="Сервис сейчас недоступен. Повторите тот же запрос с тем же id через {retry_after:секунду|секунды|секунд}.",
        uk="Сервіс зараз недоступний. Повторіть той самий запит із тим самим id через "
        "{retry_after:секунду|секунди|секунд}.",
    ),
    "GOING_DOWN": Entry(
        *_BUSY,
        en="This server is going down. Connect again in {retry_after:second|seconds}.",
        ru="Этот сервер выключается. Подключитесь снова через {retry_after:секунду|секунды|секунд}.",
        uk="Цей сервер вимикається. Підключіться знову через {retry_after:секунду|секунди|секунд}.",
    ),
    "DEADLINE_EXCEEDED": Entry(
        "DEADLINE_EXCEEDED",
        504,
        en="The answer did not come in time. Send the same request, with the same id, again.",
        ru="Ответ не пришёл вовремя. Повторите тот же запрос с тем же id.",
        uk="Відповідь не надійшла вчасно. Повторіть той самий запит із тим самим id.",
    ),
    "MATCH_UNREADABLE": Entry(
        "INTERNAL",
        500,
        en="This server cannot read the match {match}, as when a later version has written it. Try again later.",
        ru="Этот сервер не может прочитать матч {match}: например, его записала более новая версия. Повторите позже.",
        uk="Цей сервер не може прочитати матч {match}: наприклад, його записала новіша версія. Повторіть пізніше.",
    ),
    "INTERNAL": Entry(
        "INTERNAL",
        500,
        en="Something went wrong here. Look whether your request was done before you send it again, with the same id; "
        "quote the request {request} when you report it.",
        ru="Ошибка на нашей стороне. Проверьте, выполнен ли запрос, прежде чем повторить его с тем же id; "
        "сообщая об ошибке, назовите запрос {request}.",
        uk="Помилка на нашому боці. Перевірте, чи виконано запит, перш ніж повторити його з тим самим id; "
        "повідомляючи про помилку, назвіть запит {request}.",
    ),
}
