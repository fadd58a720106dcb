import importlib
import json
import os
import sys
import tempfile
import unittest

from svc_lab import BaseTask
from svc_lab.host.author_error import describe_error
from svc_lab.host.package_code import PackageCode, class_in, forget, use

FILES = {
    "tasks/mix/task.py": "from svc_lab import BaseTask\nfrom ..tools import half\nfrom lab_of_test import units\n"
    "class Mix(BaseTask):\n    def _execute(self, *_):\n        return half(units.ML)\n",
    "tasks/tools.py": "def half(x):\n    return x / 2\n",
    "units/__init__.py": "ML = 3\n",
    "tasks/two/task.py": "from svc_lab import BaseTask\nclass A(BaseTask):\n    pass\nclass B(BaseTask):\n    pass\n",
    "tasks/bare/task.py": "from svc_lab import BaseTask\nclass Bare(BaseTask):\n    pass\n",
    "tasks/broken/task.py": "def f(:\n",
}


class PackageCodeTest(unittest.TestCase):
    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump({"svc_python": 1, "package": "lab_of_test", "files": FILES}, file)
        self.addCleanup(os.unlink, file.name)
        self.code = PackageCode(file.name)
        use(self.code)
        self.addCleanup(lambda: self.code in sys.meta_path and forget(self.code))

    def class_at(self, source):
        return class_in(self.code, source, BaseTask, ("_execute",))

    def test_is_imported_by_its_place(self):
        self.assertEqual(self.class_at("tasks/mix/task.py")()._execute(), 1.5)

    def test_is_executed_anew_after_it_was_forgotten(self):
        first = self.class_at("tasks/mix/task.py")
        self.assertIs(self.class_at("tasks/mix/task.py"), first)
        forget(self.code)
        use(self.code)
        self.assertIsNot(self.class_at("tasks/mix/task.py"), first)

    def test_has_no_modules_of_other_packages(self):
        with self.assertRaises(ModuleNotFoundError):
            importlib.import_module("lab_of_test.nothing")

    def test_must_have_one_class_of_the_kind_with_its_methods(self):
        with self.assertRaisesRegex(TypeError, r"defines 2 classes of that kind \(A, B\)"):
            self.class_at("tasks/two/task.py")
        with self.assertRaisesRegex(TypeError, "the class Bare lacks _execute"):
            self.class_at("tasks/bare/task.py")

    def test_shows_the_line_of_a_syntax_error(self):
        try:
            self.class_at("tasks/broken/task.py")
        except SyntaxError as error:
            self.assertIn("\n    at lab_of_test/tasks/broken/task.py:1", describe_error(error, "lab_of_test")["stack"])
        else:
            self.fail("no error")

    def test_of_another_format_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump({"svc_python": 2}, file)
        self.addCleanup(os.unlink, file.name)
        with self.assertRaisesRegex(ValueError, "of another release"):
            PackageCode(file.name)


if __name__ == "__main__":
    unittest.main()
