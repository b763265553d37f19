"""What a name looks like, whatever letters it is written with. After Unicode's Technical Standard 39, for names of people.

A Cyrillic `а` and a Latin `a` are two letters to a computer and one to a reader. So nobody takes letters of two alphabets
for one word, and a name that looks like somebody else's is found, though no letter of it may be the same.
"""

import re
import unicodedata

from django.db.models import F, Func, Value

_ALIKE = (
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefgh|jklmnopqrstuvwxyz"),  # a capital I looks like a small l
    ("l10ıɑɡɩᴄᴏꜱᴠᴡᴢǀƖꞁ∣│❘", "||oiagicosvwz||||||"),
    ("ᴀʙᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴘʀᴛᴜʏ", "abdefgh|jklmnprtuy"),
    ("АВЕЅІЈКМНОРСТУХҮѴԌԚԜӀЬ", "abes|jkmhopctyxyvgqw|b"),  # Cyrillic
    ("аеѕіјорсухүѵԁһԛԝӏг", "aesijopcyxyvdhqw|r"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezh|kmnoptyx"),  # Greek
    ("αγικνορσυχ", "ayikvopoux"),
    ("ՏՍՕԼօոսհցզյաքգռ", "suolonuhgqjwfqn"),  # Armenian
    ("ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ", "drtiyajewmhyghzbrwsvslcpkdgb"),  # Cherokee
    ("ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "bpddtgkjczfmnlsrvhwxyae|ou"),  # Lisu
    ("ᗅᗩᗷᑕᗪᖴᒍᒪᗰᑎᑭᑫᖇᑌᐯᗯ᙭", "aabcdfjlmnpqruvwx"),  # Canadian syllables
    ("ⲀⲂⲈⲌⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⳐ", "abezh|kmnopctyx|"),  # Coptic
    ("ⲁⲃⲉⲍⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭⳑ", "abezh|kmnopctyx|"),
    ("ニエロカタハトー", "二工口力夕八卜一"),  # Katakana, and Chinese characters
    (
        "\u0649\u06cc\u06a9\u06aa\u06c1\u06be\u06d5",
        "\u064a\u064a\u0643\u0643\u0647\u0647\u0647",
    ),  # Arabic: ye, kaf, he
    ("\u0661\u06f1\u07c1\u0665\u07c0०০੦૦୦௦౦೦൦๐໐၀", "|||oooooooooooooo"),  # digits
    ("‘’ʼʹ՚`‐‒–—−˗", "''''''------"),
)
_FROM, _TO = map("".join, zip(*_ALIKE, strict=True))
_LOOKS = str.maketrans(_FROM, _TO)
_WHOLE, _LIKE = "ϲϹ´", "cc'"  # what would be taken apart into something that looks like another thing
_TWO = (("m", "rn"), ("w", "vv"))
"""Letters that look like two. The two stand for both: of `wv` and `vw` that makes one look."""

_WORD = re.compile(r"[^\W\d_]+(?:['‘’ʼ][^\W\d_]+)*")
_BARS = "|¦ǀ∣│❘\ufe31\ufe33\uffe8"
_BAR = re.compile(rf"\w[{_BARS}]|[{_BARS}]\w")
_EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "IDEOGRAPHIC"}
"""Scripts that share their words, with Latin letters too: `カラオケ好き`, `王Wang`."""


def look_of(name: F | Value) -> Func:
    """What a name looks like, as PostgreSQL works it out; the columns of players are indexed by it."""
    whole = Func(name, Value(_WHOLE), Value(_LIKE), function="translate")
    taken_apart = Func(whole, function="normalize", template="%(function)s(%(expressions)s, NFKD)")
    found = Func(taken_apart, Value(_FROM), Value(_TO), function="translate")
    for one, two in _TWO:
        found = Func(found, Value(one), Value(two), function="replace")
    return found


def look(name: str) -> str:
    """As `look_of`, here: names that look the same have one."""
    whole = name.translate(str.maketrans(_WHOLE, _LIKE))
    found = unicodedata.normalize("NFKD", whole).translate(_LOOKS)
    for one, two in _TWO:
        found = found.replace(one, two)
    return found


def has_bar(name: str) -> bool:
    """Whether a bar stands at a letter, where it is taken for an l or an I."""
    return _BAR.search(name) is not None


def mixed_word(name: str) -> str | None:
    """The first word of a name that is written with letters of two alphabets."""
    for word in _WORD.findall(unicodedata.normalize("NFKC", name)):
        letters = [letter for letter in word if unicodedata.category(letter) in ("Lu", "Ll", "Lt", "Lo")]
        if len({unicodedata.name(letter, "").split(" ")[0] for letter in letters} - _EAST_ASIAN) > 1:
            return str(word)
    return None
