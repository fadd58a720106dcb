"""The rules for the wrappers of libraries, which the tests of each library follow with the real library."""

from svc_lab.optimizer import (
    CategoricalInput,
    ContinuousInput,
    ContinuousOutput,
    DiscreteInput,
    Domain,
    LinearEquality,
    LinearInequality,
    Minimize,
)

OUTPUTS = [ContinuousOutput("score.loss", Minimize())]
MIXED = {
    "inputs": [
        ContinuousInput("mix.a", (0, 1)),
        ContinuousInput("mix.b", (0, 2), 0.25),
        CategoricalInput("mix.k", ["u", "v"]),
        DiscreteInput("mix.d", [1, 2, 4]),
        ContinuousInput("mix.e", (0, 1)),
    ],
    "outputs": OUTPUTS,
    "constraints": [
        LinearInequality(["mix.a", "mix.b"], [1, 1], 2),
        LinearEquality(["mix.a", "mix.e"], [1, 1], 1),
    ],
}
PLAIN = {"inputs": [ContinuousInput("mix.a", (0, 1)), ContinuousInput("mix.b", (0, 1))], "outputs": OUTPUTS}


def loss_of(row):
    return (row["mix.a"] - 0.3) ** 2 + (row["mix.b"] - 0.5) ** 2


def name(number):
    return f"run_{number}"


class WrapperRules:
    """A subclass has `make(**arguments)`, and `repeats`: whether a new object with the same runs proposes the same rows."""

    repeats = True
    mixed = MIXED

    def history(self, optimizer):
        """Lets an optimizer propose, with runs that fail, that others chose, and that are reported out of order."""
        rows = optimizer.sample(4, run_names=[name(number) for number in range(4)])
        foreign = {**rows[0], "mix.a": 0.5, **({"mix.e": 0.5} if "mix.e" in rows[0] else {}), "mix.b": 0.5}
        optimizer.report_started([foreign], run_names=["given"])
        steps = [
            ("report", [rows[2]], [{"score.loss": loss_of(rows[2])}], ["run_2"]),
            ("report_failed", [rows[1]], ["run_1"]),
            (
                "report",
                [rows[0], foreign],
                [{"score.loss": loss_of(each)} for each in (rows[0], foreign)],
                ["run_0", "given"],
            ),
        ]
        for method, *arguments, names in steps:
            getattr(optimizer, method)(*arguments, run_names=names)
        return rows, steps

    def test_proposes_rows_of_the_domain_with_runs_in_progress_failed_and_foreign(self):
        optimizer = self.make(**self.mixed)
        self.history(optimizer)
        domain = Domain(**self.mixed)
        for row in optimizer.sample(2, run_names=["run_5", "run_6"]):
            self.assertEqual(domain.check(row), row)
        self.assertEqual(optimizer.get_num_samples_reported(), 3)
        (best, *_) = optimizer.get_optimal_solutions()
        self.assertEqual(set(best), {*domain.input_names, "score.loss"})

    def test_takes_all_runs_in_a_new_process(self):
        first = self.make(**PLAIN)
        rows, steps = self.history(first)
        second = self.make(**PLAIN)
        second.report_started([rows[3]], run_names=["run_3"])
        for method, *arguments, names in steps:
            getattr(second, method)(*arguments, run_names=names)
        self.assertEqual(second.get_num_samples_reported(), 3)
        self.assertEqual(second.get_optimal_solutions(), first.get_optimal_solutions())
        (row,) = second.sample(1, run_names=["run_4"])
        self.assertNotIn(row, rows)

    def test_finds_better_points(self):
        optimizer = self.make(**PLAIN)
        losses = []
        for number in range(self.budget):
            rows = optimizer.sample(1, run_names=[name(number)])
            losses.append(loss_of(rows[0]))
            optimizer.report(rows, [{"score.loss": losses[-1]}], run_names=[name(number)])
        self.assertLess(min(losses[self.budget // 2 :]), self.goal)
