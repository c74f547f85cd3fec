"""Small files in the original forms of the public sets, with texts of our own, and a server that gives them."""

import json

from api_server import ApiServer, Reply
from case_files import cases_beside

ORIGINALS = {name: json.dumps(document) for name, document in cases_beside(__file__).items()}


def original_of(name):
    """The document of a set, in the form that its authors give it; a new one each time, for tests that change it."""
    return json.loads(ORIGINALS[name])


BEGIN_HEAD = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
BEGIN_ROWS = (
    't5\twow\tTea is "a drink".\tdo you like tea?\ttea is a drink\tFully attributable\n'
    "gpt2\twow\tTea is a drink!\tTea?\tI like it .\tNot fully attributable\n"
    "ctrl\twow\tCoffee is brewed.\tCoffee?\tnice\tGeneric\n"
)


def tau_trajectories(attempts=2, tasks=1):
    """Attempts at each task, of which every second one succeeds."""
    return [
        original_of("tau") | {"task_id": task, "reward": float(number % 2 == 0), "trial": number}
        for task in range(tasks)
        for number in range(attempts)
    ]


def as_bytes(document):
    """A document as JSON."""
    return json.dumps(document).encode()


class FileServer(ApiServer):
    """Gives files by the end of their path, as a static web server does."""

    def __init__(self, files):
        super().__init__()
        self.files = dict(files)

    @property
    def url(self) -> str:
        """The address of the mirror."""
        return f"http://{self.host}"

    def find(self, call):
        """The file that a request is for."""
        path = call.path.replace("%20", " ")
        return next((content for name, content in self.files.items() if path.endswith(f"/{name}")), None)

    def answer(self, call):
        """A file; 404 where there is none."""
        content = self.find(call)
        if content is None:
            return Reply(404, {"message": "not found"})
        return Reply(200, content, {"content-type": "text/plain"})


def break_off(content, sent):
    """A reply that announces all of a content and ends after some of it."""
    announced = {"content-type": "text/plain", "content-length": str(len(content)), "connection": "close"}
    return Reply(200, content[:sent], announced)
