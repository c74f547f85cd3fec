"""A local web server that gets alarms, as chat tools do."""

from api_server import ApiServer, Reply


class Webhook(ApiServer):
    """Takes every message; `script` may refuse one before."""

    @property
    def url(self) -> str:
        """Its URL, with a path that is a secret."""
        return f"http://{self.host}/services/T0/SECRET-PATH"

    def answer(self, call):
        """Takes a message."""
        return Reply(200, "ok")
