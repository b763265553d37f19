"""How static files are named when they are collected."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORT = r'(?P<matched>import(?P<names>[^;"]+)from "(?P<url>\./[^"]+)";)'


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Each file under a name that changes with its content, also where a script of the table imports another."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("tables/*.js", ((_IMPORT, 'import%(names)sfrom "%(url)s";'),)),
    )
