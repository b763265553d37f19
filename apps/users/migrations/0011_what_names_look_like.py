from django.db import migrations, models

LETTERS = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZl10ıɑɡɩᴄᴏꜱᴠᴡᴢ"
    "АВЕЅІЈКМНОРСТУХҮѴԌԚԜӀЬаеѕіјорсухүѵԁһԛԝӏгΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορσυχՏՍՕԼօոսհցզյաքգռ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴニエロカタハトー"
)
LOOKS = (
    "abcdefgh|jklmnopqrstuvwxyz||oiagicosvwz"
    "abes|jkmhopctyxyvgqw|baesijopcyxyvdhqw|rabezh|kmnoptyxayikvopouxsuolonuhgqjwfqn"
    "drtiyajewmhyghzbrwsvslcpkdgbbpddtgkjczfmnlsrvhwxyae|ou二工口力夕八卜一"
)

# what `name_key` makes of apostrophes and hyphens, for the names that were stored before
FOLD = """UPDATE users_player SET name_key = translate(name_key, '‘’ʼ‐‑‒–—', $$'''-----$$)
          WHERE name_key ~ '[‘’ʼ‐‑‒–—]'"""


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0010_country_of_a_player"),
    ]

    operations = [
        migrations.RunSQL(FOLD, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="player",
            index=models.Index(
                models.Func(
                    models.Func(
                        models.F("name"),
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
