"""Small files in the original forms of the public sets, with texts of our own, and a server that gives them."""

import json

from api_server import ApiServer, Reply


def _rated(*ratings):
    return {
        f"rater{number}": {"timestamp": 1.0, "duration": 2.0, "value": value} for number, value in enumerate(ratings)
    }


def mtrag_document():
    """Two turns of one conversation, answered by two systems; the second turn by one."""
    question = {"speaker": "user", "text": "Where do I request leave?"}
    answer = {"speaker": "agent", "text": "Under My page > Leave."}
    again = {"speaker": "user", "text": "And for half a day?"}

    def task(number, turns):
        return {
            "task_id": f"talk1<::>{number}",
            "input": turns,
            "contexts": [{"document_id": "leave"}],
            "targets": [{"speaker": "agent", "text": "Under My page."}],
            "Answerability": ["ANSWERABLE"],
            "Collection": "mt-rag-handbook-beir-elser-512",
        }

    def evaluation(number, system, *faithfulness):
        return {
            "task_id": f"talk1<::>{number}",
            "model_id": system,
            "model_response": f"{system} says: under My page.",
            "annotations": {
                "RougeL": {"system": {"value": 0.5}},
                "rl_f": {"composite": {"value": 1.0}},
                "faithfulness": _rated(*faithfulness),
                "naturalness": _rated("4", "3"),
            },
        }

    return {
        "tasks": [task(1, [question]), task(2, [question, answer, again])],
        "documents": [{"document_id": "leave", "text": "Request leave under My page > Leave."}],
        "evaluations": [
            evaluation(1, "gpt", "4", "4", "3"),
            evaluation(1, "llama", "1", "2"),
            evaluation(2, "gpt", "", "3"),
        ],
    }


def clapnq_document():
    """One answerable question and one that is not, each answered by one system."""

    def task(key, target):
        return {
            "task_id": f"ClapNQ::{key}",
            "input": [{"speaker": "user", "text": "who wrote the handbook"}],
            "contexts": [{"document_id": "d", "text": "Kim wrote it .", "title": "Handbook"}],
            "answerability": "ANSWERABLE" if target else "UNANSWERABLE",
            "targets": [{"type": "text", "value": target}],
        }

    def result(key, answer, reason):
        return {
            "task_id": f"ClapNQ::{key}",
            "model_id": "gpt",
            "scores": {
                "faithfulness": _rated("4", "2"),
                "faithfulness_reason": _rated("", reason),
                "fluency": _rated("4", "4"),
            },
            "output": [{"role": "assistant", "content": answer}],
        }

    return {
        "tasks": [task("-7", "Kim wrote the handbook."), task("8", "")],
        "results": [result("-7", "Kim.", "Other"), result("8", "", "")],
    }


BEGIN_HEAD = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
BEGIN_ROWS = (
    't5\twow\tTea is "a drink".\tdo you like tea?\ttea is a drink\tFully attributable\n'
    "gpt2\twow\tTea is a drink!\tTea?\tI like it .\tNot fully attributable\n"
    "ctrl\twow\tCoffee is brewed.\tCoffee?\tnice\tGeneric\n"
)


def ragchecker_entries(pairs=1):
    """Pairs of answers, each with the labels of two people."""

    def entry(number, correctness, overall):
        return {
            "instance_id": number,
            "dataset": "desk",
            "query_id": str(70 + number),
            "query": f"How do I save step {number}?",
            "gt_answer": "Click Save.",
            "model1": {"model_name": "small", "response": "You cannot.", "critiques": ""},
            "model2": {"model_name": "large", "response": f"Click Save for step {number}.", "critiques": ""},
            "correctness_label": correctness,
            "completeness_label": 1,
            "overall_label": overall,
        }

    return [labels for number in range(1, pairs + 1) for labels in (entry(number, 2, 2), entry(number, 1, 1))]


def tabfact_statements():
    """Two tables: one with two statements, one with one."""
    return {
        "1-10-1.html.csv": [["there be 2 row", "there be 3 row"], [1, 0], "sales"],
        "2-20-2.html.csv": [["the price be 5"], [1], "prices, by year"],
    }


TABFACT_TABLES = {
    "data/all_csv/1-10-1.html.csv": "month#sold\nmay#3\njune#4\n",
    "data/all_csv/2-20-2.html.csv": "year#price\n2020#5 , 00\n",
}


def tatqa_reports():
    """A table with one question that is looked up and two that are computed."""

    def question(uid, kind, answer, scale):
        return {
            "uid": uid,
            "order": 1,
            "question": f"What is {uid}?",
            "answer": answer,
            "derivation": "30-20",
            "answer_type": kind,
            "answer_from": "table",
            "rel_paragraphs": [],
            "req_comparison": False,
            "scale": scale,
        }

    return [
        {
            "table": {"uid": "t1", "table": [["", "2019 "], ["Sales", "$30"]]},
            "paragraphs": [{"uid": "p2", "order": 2, "text": "Later."}, {"uid": "p1", "order": 1, "text": "First."}],
            "questions": [
                question("looked-up", "span", ["$30"], ""),
                question("d", "arithmetic", 10, "million"),
                question("a", "arithmetic", 12.5, "percent"),
            ],
        }
    ]


def tau_trajectories(attempts=2):
    """Attempts at one task, of which every second one succeeds."""
    messages = [
        {"role": "system", "content": "Help customers."},
        {"role": "user", "content": "Cancel my order."},
        {"content": "It is cancelled.", "role": "assistant", "refusal": None},
    ]
    task = {"user_id": "kim", "actions": [{"name": "cancel", "kwargs": {"order": 7}}], "outputs": []}
    task["instruction"] = "You are Kim. Cancel order 7."
    return [
        {"task_id": 0, "reward": reward, "info": {"task": task}, "traj": messages, "trial": trial}
        for trial, reward in ((number, float(number % 2 == 0)) for number in range(attempts))
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
