import unittest

from svc_lab.domain import Invalid, fault
from svc_lab.optimizer import AbstractSequentialOptimizer, ContinuousInput, ContinuousOutput, Minimize
from svc_lab.optimizers import AskTellOptimizer, HybridOptimizer

SPACE = {
    "inputs": [ContinuousInput("mix.a", (0, 10), 1)],
    "outputs": [ContinuousOutput("score.loss", Minimize())],
}


class Counter:
    """Proposes 0, 1, 2 and so on, and keeps what it is told."""

    def __init__(self):
        self.next = 0
        self.told = []

    def ask(self):
        self.next += 1
        return [self.next - 1]

    def tell(self, point, cost):
        self.told.append((point, cost))


class Worker:
    """Answers with rows, and keeps the questions. The rules of the settings are those of the worker, and tested there."""

    protocol = "mixes"

    def __init__(self, *rows):
        self.rows = list(rows)
        self.questions = []

    def call(self, function, arguments):
        if function == "hybrid_settings":
            given = {**arguments["arguments"], **arguments["change"]}
            if given.get("ai_model") == "nobody:x" and given["p_ai"] > 0:
                raise Invalid("the AI cannot be asked", [fault("ai_model", "provider", "unknown")])
            params = {"p_ai": given.get("p_ai", 0)}
            return {"p_ai": params["p_ai"], "runtime_params": params, "additional_names": [], "fields": []}
        self.questions.append(arguments)
        row = self.rows.pop(0)
        tokens = {"input": 1, "output": 2}
        if row is None:
            return {"failure": {"code": "deadline", "message": "too late"}, "tokens": tokens}
        return {"points": [row], "adjusted": [False], "journal": "a try", "tokens": tokens}


class Picky(AbstractSequentialOptimizer):
    """Refuses the points of others."""

    def sample(self, num_protocol_runs):
        return [{"mix.a": 4} for _ in range(num_protocol_runs)]

    def report(self, inputs_df, outputs_df):
        raise ValueError("the model does not converge")

    def report_started(self, inputs_df):
        raise ValueError("not mine")

    def get_optimal_solutions(self):
        return []

    def get_input_names(self):
        return ["mix.a"]

    def get_output_names(self):
        return ["score.loss"]

    def get_num_samples_reported(self):
        return 0


class PickyCampaign(HybridOptimizer):
    def _create_optimizer(self, inputs, outputs, constraints):
        return Picky()


def hybrid(*rows, **settings):
    counter = Counter()
    given = {"p_ai": 1, "ai_model": "local:m", "optimizer": counter, **settings}
    made = HybridOptimizer(**SPACE, plugged_in=AskTellOptimizer, **given)
    worker = Worker(*rows)
    made.svc_connect(worker)
    return made, worker, counter


class Hybrid(unittest.TestCase):
    def test_lets_the_plugged_in_optimizer_choose_where_no_worker_is(self):
        made = HybridOptimizer(
            **SPACE, plugged_in=AskTellOptimizer, optimizer=lambda domain, seed: Counter(), p_ai=1, ai_model="local:m"
        )
        self.assertEqual(made.sample(2, ["c/1", "c/2"]), [{"mix.a": 0}, {"mix.a": 1}])
        self.assertEqual([each["source"] for each in made.last_sample()["rows"]], ["optimizer"] * 2)

    def test_gives_the_results_of_both_sources_to_the_plugged_in_optimizer(self):
        made, _, counter = hybrid({"mix.a": 7}, None)
        self.assertEqual(made.sample(1, ["c/1"]), [{"mix.a": 7}])
        self.assertEqual(made.last_sample()["rows"][0]["source"], "ai")
        self.assertEqual(made.sample(1, ["c/2"]), [{"mix.a": 0}])
        (origin,) = made.last_sample()["rows"]
        self.assertEqual(origin["source"], "optimizer")
        self.assertEqual(origin["note"]["fallback"], {"code": "deadline", "message": "too late"})
        made.report([{"mix.a": 0}, {"mix.a": 7}], [{"score.loss": 1}, {"score.loss": 2}], ["c/2", "c/1"])
        self.assertEqual(counter.told, [([0], 1.0), ([7], 2.0)])
        self.assertEqual(made.get_num_samples_reported(), 2)
        self.assertEqual(made.get_optimal_solutions(), [{"mix.a": 0, "score.loss": 1.0}])

    def test_tells_the_worker_runs_details_and_remarks(self):
        made, worker, _ = hybrid({"mix.a": 7}, {"mix.a": 8}, ai_api_key="sk-12345")
        made.sample(1, ["c/1"])
        made.report_failed([{"mix.a": 7}], ["c/1"])
        made.offer_insights([{"id": "i1", "text": "try 8"}])
        made.sample(1, ["c/2"])
        question = worker.questions[1]
        self.assertEqual(
            question["runs"], [{"name": "c/1", "point": {"mix.a": 7}, "status": "failed", "measured": None}]
        )
        self.assertEqual(question["details"][0]["note"]["journal"], "a try")
        self.assertEqual((question["insights"], question["protocol"]), (["try 8"], "mixes"))
        self.assertEqual(question["arguments"]["ai_api_key"], "sk-12345")
        self.assertEqual(made.last_sample()["insights_used"], ["i1"])

    def test_keeps_remarks_until_a_suggestion_used_them(self):
        made, worker, _ = hybrid(None, {"mix.a": 8})
        made.offer_insights([{"id": "i1", "text": "try 8"}])
        made.sample(1, ["c/1"])
        self.assertEqual(made.last_sample()["insights_used"], [])
        made.sample(1, ["c/2"])
        self.assertEqual(worker.questions[1]["insights"], ["try 8"])

    def test_lets_the_plugged_in_optimizer_choose_when_it_refuses_the_point(self):
        made = PickyCampaign(**SPACE, p_ai=1, ai_model="local:m")
        made.svc_connect(Worker({"mix.a": 7}))
        self.assertEqual(made.sample(1, ["c/1"]), [{"mix.a": 4}])
        (origin,) = made.last_sample()["rows"]
        self.assertEqual(origin["note"]["fallback"]["code"], "refused")
        self.assertIn("not mine", origin["note"]["fallback"]["message"])

    def test_records_nothing_that_the_plugged_in_optimizer_refuses(self):
        made = PickyCampaign(**SPACE)
        rows = made.sample(1, ["c/1"])
        with self.assertRaisesRegex(ValueError, "does not converge"):
            made.report(rows, [{"score.loss": 1}], ["c/1"])
        self.assertEqual([run.state for run in made.runs()], ["pending"])

    def test_checks_an_override_of_the_probability_before_the_model(self):
        made = HybridOptimizer(**SPACE, plugged_in=AskTellOptimizer, optimizer=Counter(), p_ai=0.5, ai_model="nobody:x")
        made.set_runtime_params({"p_ai": 0})
        made.svc_connect(Worker())
        self.assertEqual(made.get_runtime_params(), {"p_ai": 0})

    def test_refuses_a_plugged_in_optimizer_of_another_domain_or_with_its_names(self):
        class Other(Picky):
            def get_input_names(self):
                return ["mix.b"]

            def get_runtime_params(self):
                return {"p_ai": 3}

        class Campaign(HybridOptimizer):
            def _create_optimizer(self, inputs, outputs, constraints):
                return Other()

        with self.assertRaises(Invalid) as caught:
            Campaign(**SPACE)
        self.assertEqual([each["code"] for each in caught.exception.faults], ["names", "collision"])
        with self.assertRaisesRegex(Invalid, "plugged_in: 'x' is no class"):
            HybridOptimizer(**SPACE, plugged_in="x")

    def test_refuses_an_async_method_of_the_plugged_in_optimizer(self):
        class Async(Picky):
            async def sample(self, num_protocol_runs):
                return []

        class Campaign(HybridOptimizer):
            def _create_optimizer(self, inputs, outputs, constraints):
                return Async()

        with self.assertRaisesRegex(TypeError, "is async"):
            Campaign(**SPACE).sample(1)


if __name__ == "__main__":
    unittest.main()
