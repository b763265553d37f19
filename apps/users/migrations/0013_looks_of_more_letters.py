from django.db import migrations, models

LETTERS = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZl10ıɑɡɩᴄᴏꜱᴠᴡᴢǀƖꞁ∣│❘ᴀʙᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴘʀᴛᴜʏАВЕЅІЈКМНОРСТУХҮѴԌԚԜӀЬаеѕіјорсухүѵԁһԛ"
    "ԝӏгΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορσυχՏՍՕԼօոսհցզյաքգռᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴᗅᗩᗷᑕ"
    "ᗪᖴᒍᒪᗰᑎᑭᑫᖇᑌᐯᗯ᙭ⲀⲂⲈⲌⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⳐⲁⲃⲉⲍⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭⳑニエロカタハトー\u0649\u06cc\u06a9\u06aa\u06c1\u06be\u06d5"
    "\u0661\u06f1\u07c1\u0665\u07c0०০੦૦୦௦౦೦൦๐໐၀‘’ʼʹ՚`‐‒–—−˗"
)
LOOKS = (
    "abcdefgh|jklmnopqrstuvwxyz||oiagicosvwz||||||abdefgh|jklmnprtuyabes|jkmhopctyxyvgqw|baesijopcyxyvdhq"
    "w|rabezh|kmnoptyxayikvopouxsuolonuhgqjwfqndrtiyajewmhyghzbrwsvslcpkdgbbpddtgkjczfmnlsrvhwxyae|ouaabc"
    "dfjlmnpqruvwxabezh|kmnopctyx|abezh|kmnopctyx|二工口力夕八卜一\u064a\u064a\u0643\u0643\u0647\u0647\u0647|||oo"
    "oooooooooooo''''''------"
)


def look() -> models.Func:
    """What a name looks like; letters that look like two are the two."""
    whole = models.Func(models.F("name"), models.Value("ϲϹ´"), models.Value("cc'"), function="translate")
    apart = models.Func(whole, function="normalize", template="%(function)s(%(expressions)s, NFKD)")
    found = models.Func(apart, models.Value(LETTERS), models.Value(LOOKS), function="translate")
    for one, two in (("m", "rn"), ("w", "vv")):
        found = models.Func(found, models.Value(one), models.Value(two), function="replace")
    return found


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0012_more_that_looks_alike"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="player", name="player_by_look"),
        migrations.AddIndex(model_name="player", index=models.Index(look(), name="player_by_look")),
    ]
