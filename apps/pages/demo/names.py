"""Invented players in the scripts that results come in. Nobody here is anybody."""

from collections.abc import Collection
from functools import cache
from random import Random
from zlib import crc32

# Given names, family names, how they are put together, how many play in the season, and where such people live.
_PEOPLES: tuple[tuple[str, str, str, int, str], ...] = (
    (
        "Alice Bridget Celia Dorothy Eleanor Frances Gordon Harriet Ivor Jasper Leonard Mabel Neville Olive Percy Rosalind",
        "Appleyard Birkwood Cattermole Drinkwater Ebbsworth Fairweather Garthwaite Hollingbury Inkpen Kettlewell Larkspur "
        "Moorcroft Nettlefold Oakenshaw Peverell Quillfeather",
        "{given} {family}",
        26,
        "GB GB GB IE AU NZ US CA ZA",
    ),
    (
        "Bożena Czesław Grażyna Jędrzej Kazimiera Łucja Małgorzata Mścisław Stanisława Zdzisław Żaneta Wacław",
        "Chrząszcz Dębołęk Gżegżółka Jaźwiec Kołodziejczak Łabędziuk Mączka Niedźwiadek Ościk Rzeżucha Święch Łoś-Wrona",
        "{given} {family}",
        20,
        "PL",
    ),
    (
        "嘉禾 晓棠 文澜 雨桐 思远 静姝 景行 若溪 一鸣 望舒 清扬 子衿 云帆 知秋",
        "欧阳 沈 蒋 陆 贺 裴 司徒 郁 翟 阮 霍 柏 苗 冉",
        "{family}{given}",
        24,
        "CN CN CN SG MY CA",
    ),
    (
        "さくら 健太郎 美咲 陽翔 千尋 湊 結衣 蓮 紬 朔太郎",
        "小鳥遊 霧島 月見里 藤堂 早乙女 榊原 日向 五十嵐 白鳥 水無瀬",
        "{family} {given}",
        12,
        "JP",
    ),
    (
        "ليلى يوسف مريم طارق سلمى فارس نور حازم",
        "البستاني الحدادين القمري الزيتوني النجاري الشرقاوي",
        "{given} {family}",
        10,
        "EG JO LB MA TN",
    ),
    (
        "נועה איתן תמר אורי יעל גלעד",
        "אגמון ברקאי גפני דרורי הדסי",
        "{given} {family}",
        8,
        "IL",
    ),
    (
        "Κωνσταντίνος Οδυσσέας Αριστείδης Λεωνίδας",
        "Αμπελάκης Βραχνίδης Γαλανάκος Ψαρουδάκης",
        "{given} {family}",
        5,
        "GR CY",
    ),
    (
        "Ελένη Δάφνη Ιφιγένεια Ζωή",
        "Θαλασσινού Καραβίδη Ξυλούρη Φωτεινού",
        "{given} {family}",
        5,
        "GR CY",
    ),
    (
        "Аграфена Борислав Василиса Глеб Евпраксия Лукьян Мирослава Прохор Ульяна Ярослав",
        "Березко Вьюн Гречишко Журавель Коростелько Подснежник Щеглюк Ёлко",
        "{given} {family}",
        14,
        "BG RS UA KZ",
    ),
    (
        "Işıl İlkay Çağrı Gülşah Şebnem Tuğrul Yıldız Ömür",
        "Ağaçlı Çınaroğlu Işıksoy İncirli Kırlangıç Üzümcü",
        "{given} {family}",
        10,
        "TR",
    ),
    (
        "Bảo Châu|Đức Thịnh|Hồng Nhung|Khánh Linh|Minh Triết|Quỳnh Hương",
        "Đặng Huỳnh Lưu Ngô Vương",
        "{family} {given}",
        8,
        "VN",
    ),
    (
        "Åse Björn Guðrún Øyvind Márta Zoltán Ørjan Þórhildur",
        "Ångbäck Bækkelund Fjærestad Grønnlid Szélvész Őszibarack Æðarvík",
        "{given} {family}",
        12,
        "NO SE DK IS HU",
    ),
)
_ODD_ONES = {
    "Miłosz “Asso” d'Ambrós-Lévesque": "FR",
    "𠮷岡 圭": "JP",
    "O’Malleigh, Fionnuala": "IE",
    "Wren 🃏 Thistlewood": "",
}
"""Quotes, an apostrophe, a comma and two characters beyond the first plane: names as they come, with their countries."""


def invent_more(random: Random, number: int, *, taken: Collection[str] = ()) -> list[str]:
    """So many names besides those that are taken, partners side by side; when all are used up, there is a second of each."""
    pairs: list[tuple[str, str]] = []
    for given, family, form, *_ in _PEOPLES:
        names = [name for name in _every(given, family, form) if name not in taken]
        random.shuffle(names)
        pairs += zip(names[::2], names[1::2], strict=False)
    random.shuffle(pairs)
    every = [name for pair in pairs for name in pair]
    return [
        every[place % len(every)] + (f" {place // len(every) + 1}" if place >= len(every) else "")
        for place in range(number)
    ]


def _every(given: str, family: str, form: str) -> list[str]:
    givens, families = given.split("|" if "|" in given else " "), family.split()
    return [form.format(given=one, family=other) for one in givens for other in families]


@cache
def _homes() -> dict[str, list[str]]:
    """The countries in which somebody of an invented name may live."""
    return {
        name: countries.split()
        for given, family, form, _, countries in _PEOPLES
        for name in _every(given, family, form)
    } | {name: [country] for name, country in _ODD_ONES.items()}


def country_of(name: str) -> str:
    """Where an invented player lives, the same each time; one in nine has not said."""
    homes, place = _homes().get(name.rstrip(" 0123456789"), [""]), crc32(name.encode())
    return homes[place % len(homes)] if place % 9 else ""


def invent(random: Random) -> list[str]:
    """All the players, the same for the same `random`, partners side by side; the first two are written in Latin."""
    names: list[str] = []
    for given, family, form, count, _ in _PEOPLES:
        names += random.sample(_every(given, family, form), count)
    names += _ODD_ONES
    first, *others = zip(
        names[::2], names[1::2], strict=True
    )  # those who play together mostly share a language
    random.shuffle(others)
    return [name for pair in (first, *others) for name in pair]
