from django.db import migrations, models

LETTERS = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZl10ıɑɡɩᴄᴏꜱᴠᴡᴢǀƖꞁ∣│❘"
    "АВЕЅІЈКМНОРСТУХҮѴԌԚԜӀЬаеѕіјорсухүѵԁһԛԝӏгΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορσυχՏՍՕԼօոսհցզյաքգռ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
    "ⲀⲂⲈⲌⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⳐⲁⲃⲉⲍⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭⳑニエロカタハトー"
)
LOOKS = (
    "abcdefgh|jklmnopqrstuvwxyz||oiagicosvwz||||||"
    "abes|jkmhopctyxyvgqw|baesijopcyxyvdhqw|rabezh|kmnoptyxayikvopouxsuolonuhgqjwfqn"
    "drtiyajewmhyghzbrwsvslcpkdgbbpddtgkjczfmnlsrvhwxyae|ou"
    "abezh|kmnopctyx|abezh|kmnopctyx|二工口力夕八卜一"
)

# what `name_key` makes of accents and a minus that stand for apostrophes and hyphens, for the names stored before
FOLD = """UPDATE users_player
          SET name_key = translate(replace(name_key, U&' \\0301', ''''), U&'`\\2212', '''-')
          WHERE name_key ~ U&'[`\\2212]| \\0301'"""


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0011_what_names_look_like"),
    ]

    operations = [
        migrations.RunSQL(FOLD, migrations.RunSQL.noop),
        migrations.RemoveIndex(model_name="player", name="player_by_look"),
        migrations.AddIndex(
            model_name="player",
            index=models.Index(
                models.Func(
                    models.Func(
                        models.Func(
                            models.F("name"), models.Value("ϲϹ"), models.Value("cc"), function="translate"
                        ),
                        function="normalize",
                        template="%(function)s(%(expressions)s, NFKD)",
                    ),
                    models.Value(LETTERS),
                    models.Value(LOOKS),
                    function="translate",
                ),
                name="player_by_look",
            ),
        ),
    ]
