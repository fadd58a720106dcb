import unittest

from svc_lab.domain import fitted
from svc_lab.optimizer import (
    CategoricalInput,
    CloseToTarget,
    ContinuousInput,
    ContinuousOutput,
    DiscreteInput,
    Domain,
    Invalid,
    LinearEquality,
    LinearInequality,
    Maximize,
    Minimize,
    NChooseK,
)
from svc_lab.optimizers import DomainOptimizer
from svc_lab.optimizers.free_inputs import FreeInputs

LOSS = ContinuousOutput("score.loss", Minimize())
VOLUMES = [ContinuousInput(f"mix.{name}", (0, 1)) for name in "abc"]


def faults_of(function, *arguments):
    try:
        function(*arguments)
    except Invalid as error:
        return [(each["path"], each["code"]) for each in error.faults]
    return []


class Domains(unittest.TestCase):
    def test_have_the_same_declarations_as_objects_and_as_json(self):
        domain = Domain(
            [
                ContinuousInput("mix.a", (0, 1), 0.1),
                DiscreteInput("mix.n", [1, 2]),
                CategoricalInput("mix.k", ["u", "v"]),
                CategoricalInput("mix.d", ["u", "v"], {"u": (1, 2.5), "v": (3, 4)}),
            ],
            [ContinuousOutput("score.loss", CloseToTarget(3, 2), at_most=5)],
            [LinearInequality(["mix.a"], [1], 0.5), NChooseK(["mix.a", "mix.n"], 1)],
        )
        written = domain.to_json()
        self.assertEqual(written["outputs"][0]["constraint"], {"at_most": 5})
        self.assertEqual(written["inputs"][3]["descriptors"], {"u": [1, 2.5], "v": [3, 4]})
        self.assertEqual(Domain(**written).to_json(), written)
        for each in written["inputs"]:
            del each["kind"]
        self.assertEqual(Domain(**written).to_json(), domain.to_json())

    def test_name_every_fault_with_its_place(self):
        wrong = [
            ({"inputs": []}, [("inputs", "missing")]),
            ({"inputs": 5}, [("inputs", "type")]),
            ({"inputs": [5]}, [("inputs[0]", "type")]),
            ({"inputs": [{"key": "a.b", "bounds": [0, 1], "stepp": 1}]}, [("inputs[0]", "unknown_field")]),
            ({"inputs": [ContinuousInput("a", (1, 0))]}, [("inputs[0].key", "value"), ("inputs[0].bounds", "bounds")]),
            ({"inputs": [DiscreteInput("a.b", [1, 1])]}, [("inputs[0].values", "value")]),
            *(
                ({"inputs": [CategoricalInput("a.b", ["u", "v"], each)]}, [(f"inputs[0].descriptors{place}", code)])
                for each, place, code in [
                    ([[1], [2]], "", "value"),
                    ({"u": [1]}, "", "value"),
                    ({"u": [1], "v": [2], "w": [3]}, "", "value"),
                    ({"u": [1], "v": [float("nan")]}, ".v", "value"),
                    ({"u": [1], "v": 2}, ".v", "value"),
                    ({"u": [1], "v": [1, 2]}, "", "length"),
                ]
            ),
            ({"inputs": [*VOLUMES, VOLUMES[0]]}, [("inputs[3].key", "value")]),
            ({"outputs": [ContinuousOutput("score.loss")]}, [("outputs", "missing")]),
            ({"outputs": [ContinuousOutput("score.loss", Minimize(0))]}, [("outputs[0].objective.weight", "value")]),
            ({"constraints": [LinearEquality(["mix.x"], [1], 1)]}, [("constraints[0].features", "unknown_input")]),
            ({"constraints": [LinearEquality(["mix.a"], [0], 1)]}, [("constraints[0].coefficients", "value")]),
            ({"constraints": [NChooseK(["mix.a"], 2)]}, [("constraints[0].max_count", "value")]),
        ]
        for change, faults in wrong:
            with self.subTest(change):
                given = {"inputs": VOLUMES, "outputs": [LOSS], **change}
                self.assertEqual(faults_of(lambda given=given: Domain(**given)), faults)

    def test_accept_rows_on_their_steps_and_refuse_others(self):
        domain = Domain(
            [
                ContinuousInput("mix.a", (0, 1), 0.1),
                DiscreteInput("mix.n", [1, 2]),
                CategoricalInput("mix.k", ["u", "v"]),
            ],
            [LOSS],
            [LinearInequality(["mix.a", "mix.n"], [1, 1], 2)],
        )
        row = {"mix.a": 0.30000000004, "mix.n": 1, "mix.k": "u"}
        self.assertEqual(domain.check(row), {"mix.a": 0.3, "mix.n": 1, "mix.k": "u"})
        self.assertEqual(domain.round({"mix.a": 0.36, "mix.n": 1.7}), {"mix.a": 0.4, "mix.n": 2})
        for change, faults in [
            ({"mix.a": 0.35}, [("row.mix.a", "value")]),
            ({"mix.a": 1.1}, [("row.mix.a", "value")]),
            ({"mix.a": float("nan")}, [("row.mix.a", "value")]),
            ({"mix.k": "w", "mix.z": 1}, [("row.mix.z", "unknown_input"), ("row.mix.k", "value")]),
            ({"mix.n": 2, "mix.a": 0.1}, [("row", "constraint")]),
        ]:
            with self.subTest(change):
                self.assertEqual(faults_of(domain.check, {**row, **change}), faults)
        self.assertEqual(faults_of(domain.check, {"mix.a": 0.3, "mix.k": "u"}), [("row.mix.n", "missing")])

    def test_give_inputs_of_integer_parameters_whole_steps(self):
        inputs = [{"key": "mix.a", "bounds": [0.5, 9.7]}, ContinuousInput("mix.b", (0, 1)), DiscreteInput("mix.c", [1])]
        found = fitted({"inputs": inputs, "seed": 1}, ["mix.a", "mix.c"])
        self.assertEqual(found, {"inputs": [ContinuousInput("mix.a", (1, 9), 1), *inputs[1:]], "seed": 1})


class FreeInput(unittest.TestCase):
    def test_leaves_out_what_equalities_fix(self):
        domain = Domain(
            VOLUMES,
            [LOSS],
            [LinearEquality(["mix.a", "mix.b", "mix.c"], [1, 1, 2], 1), LinearInequality(["mix.c"], [1], 0.3)],
        )
        free = FreeInputs(domain)
        self.assertEqual([code.key for code in free.codes], ["mix.a", "mix.b"])
        row = free.decode([0.5, 0.1])
        self.assertEqual(domain.check(row), {"mix.a": 0.5, "mix.b": 0.1, "mix.c": 0.2})
        self.assertEqual(free.encode(row), [0.5, 0.1])
        # The third input would be negative, or above its inequality.
        self.assertIsNone(free.decode([0.9, 0.9]))
        self.assertIsNone(free.decode([0.1, 0.1]))

    def test_solves_several_equalities(self):
        equalities = [LinearEquality(["mix.a", "mix.b"], [1, 1], 1), LinearEquality(["mix.b", "mix.c"], [1, -1], 0)]
        domain = Domain(VOLUMES, [LOSS], equalities)
        free = FreeInputs(domain)
        self.assertEqual(len(free.codes), 1)
        domain.check(free.decode([0.25]))
        third = LinearEquality(["mix.a", "mix.c"], [1, 1], 1)
        self.assertEqual(
            faults_of(FreeInputs, Domain(VOLUMES, [LOSS], [*equalities, third])), [("constraints[2]", "value")]
        )

    def test_counts_steps_and_values_by_their_index(self):
        domain = Domain([ContinuousInput("mix.a", (1, 2.05), 0.1), DiscreteInput("mix.n", [4, 1, 2])], [LOSS])
        free = FreeInputs(domain)
        self.assertEqual([(code.kind, code.high) for code in free.codes], [("integer", 10), ("integer", 2)])
        self.assertEqual(free.encode({"mix.a": 1.3, "mix.n": 4}), [3, 2])
        self.assertEqual(domain.check(free.decode([3, 2])), {"mix.a": 1.3, "mix.n": 4})


class Scripted(DomainOptimizer):
    """Proposes given rows, and notes what becomes of them."""

    def __init__(self, rows, outputs=(LOSS,)):
        super().__init__([ContinuousInput("mix.a", (0, 1)), ContinuousInput("mix.b", (0, 9), 1)], outputs)
        self.rows = list(rows)
        self.notes = []

    def _propose(self, count):
        return [({"mix.a": self.rows.pop(0), "mix.b": 2.1}, f"t{count}") for _ in range(count)]

    def _started(self, run):
        self.notes.append(("started", run.row["mix.a"], run.token))

    def _measured(self, run):
        self.notes.append(("measured", run.row["mix.a"], run.token))

    def _failed(self, run):
        self.notes.append(("failed", run.row["mix.a"], run.token))


class Runs(unittest.TestCase):
    def test_keep_what_the_library_proposed_until_it_is_reported_once(self):
        optimizer = Scripted([0.1, 0.2])
        rows = optimizer.sample(2, run_names=["r1", "r2"])
        self.assertEqual(rows, [{"mix.a": 0.1, "mix.b": 2}, {"mix.a": 0.2, "mix.b": 2}])
        optimizer.report(rows[1:], [{"score.loss": 5}], run_names=["r2"])
        optimizer.report(rows[1:], [{"score.loss": 5}], run_names=["r2"])
        optimizer.report_failed(rows[:1], run_names=["r1"])
        optimizer.report_failed(rows[:1], run_names=["r1"])
        optimizer.report_started([{"mix.a": 0.7, "mix.b": 1}], run_names=["r3"])
        self.assertEqual(optimizer.notes, [("measured", 0.2, "t2"), ("failed", 0.1, "t2"), ("started", 0.7, None)])
        self.assertEqual(optimizer.get_num_samples_reported(), 1)
        self.assertEqual(optimizer.get_optimal_solutions(), [{"mix.a": 0.2, "mix.b": 2, "score.loss": 5}])

    def test_with_other_values_than_proposed_are_told_with_those(self):
        optimizer = Scripted([0.1])
        optimizer.sample(1, run_names=["r1"])
        optimizer.report([{"mix.a": 0.15, "mix.b": 2}], [{"score.loss": 1}], run_names=["r1"])
        self.assertEqual(optimizer.notes, [("failed", 0.1, "t1"), ("measured", 0.15, None)])

    def test_without_names_are_found_by_their_values(self):
        optimizer = Scripted([0.1])
        rows = optimizer.sample(1)
        optimizer.report([*rows, *rows], [{"score.loss": 1}, {"score.loss": 2}])
        self.assertEqual(optimizer.notes, [("measured", 0.1, "t1"), ("measured", 0.1, None)])

    def test_with_a_wrong_row_or_result_are_refused_whole(self):
        optimizer = Scripted([])
        good, result = {"mix.a": 0.1, "mix.b": 2}, {"score.loss": 1}
        for rows, results in (
            ([good, {"mix.a": 2, "mix.b": 2}], [result, result]),
            ([good, good], [result, {"score.loss": float("nan")}]),
            ([good, good], [result, {}]),
        ):
            with self.assertRaises(Invalid):
                optimizer.report(rows, results)
        self.assertEqual(optimizer.get_num_samples_reported(), 0)

    def test_outside_of_the_domain_are_not_proposed(self):
        with self.assertRaisesRegex(
            RuntimeError, "proposed a row outside of the domain: .* None is not a number from 0 to 1"
        ):
            Scripted([None]).sample(1)

    def test_are_given_up_if_one_of_their_sample_does_not_fit(self):
        optimizer = Scripted([0.5, None])
        with self.assertRaises(RuntimeError):
            optimizer.sample(2)
        self.assertEqual([note[0] for note in optimizer.notes], ["failed", "failed"])
        self.assertEqual(optimizer.runs(), [])

    def test_are_best_if_no_other_beats_them(self):
        outputs = [ContinuousOutput("score.loss", Minimize(), at_most=8), ContinuousOutput("score.gain", Maximize())]
        optimizer = Scripted([], outputs)
        points = [(9, 9), (5, 5), (4, 4), (6, 4)]
        for index, (loss, gain) in enumerate(points):
            row = {"mix.a": index / 10, "mix.b": 1}
            optimizer.report([row], [{"score.loss": loss, "score.gain": gain}], run_names=[f"r{index}"])
            best = optimizer.get_optimal_solutions()
            if index == 0:
                self.assertEqual([each["meets_constraints"] for each in best], [False])
        self.assertEqual([each["mix.a"] for each in best], [0.1, 0.2])


if __name__ == "__main__":
    unittest.main()
