import tempfile
import unittest
from pathlib import Path

from svc_lab.replay import Replay, ReplayError, read_recording

# The tests of libs/instruments replay the same recordings.
RECORDINGS = Path(__file__).resolve().parents[2] / "instruments" / "fixtures"
HEAD = '{"svc_recording": 1, "label": "x", "of": "y", "at": "z"}\n'


class ReplayOfASession(unittest.TestCase):
    def test_has_a_recording_of_each_protocol(self):
        names = {path.stem for path in RECORDINGS.glob("*.ndjson")}
        self.assertGreaterEqual(names, {"modbus-rtu", "modbus-tcp", "scpi-serial", "scpi-tcp", "text-serial"})

    def test_gives_every_request_its_answer(self):
        for path in RECORDINGS.glob("*.ndjson"):
            with self.subTest(path.name):
                recording = read_recording(path)
                turns = recording.turns()
                self.assertGreater(len(turns), 3)
                strict, lenient = Replay(recording, strict=True), Replay(recording)
                for turn in turns:
                    # The request may come in pieces.
                    for byte in turn.request:
                        strict.write(bytes([byte]))
                    lenient.write(turn.request)
                    self.assertEqual(strict.read(), turn.answer)
                    self.assertEqual(lenient.read(), turn.answer)
                self.assertEqual(strict.left, 0)

    def test_refuses_another_request_if_strict(self):
        replay = Replay(read_recording(RECORDINGS / "scpi-tcp.ndjson"), strict=True)
        with self.assertRaisesRegex(
            ReplayError, r"line 3 of the recording sends b'\*IDN\?\\n', but b'\*RST\\n' was sent"
        ):
            replay.write(b"*RST\n")

    def test_repeats_the_last_answer_unless_strict(self):
        replay = Replay(read_recording(RECORDINGS / "scpi-tcp.ndjson"))
        answers = []
        for _ in range(3):
            replay.write(b"*IDN?\n")
            answers.append(replay.readline())
        self.assertNotEqual(answers[0], b"")
        self.assertEqual(answers, [answers[0]] * 3)
        replay.write(b"NOBODY KNOWS THIS\n")
        self.assertEqual(replay.read(), b"")
        self.assertEqual(replay.in_waiting, 0)


class ReadingARecording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "a.ndjson"

    def test_names_the_faulty_line(self):
        for text, message in (
            ('{"ms": 1}\n', r":1: the file is no recording"),
            ("", r":1: the file is no recording"),
            (HEAD + '{"ms": 1, "dir": "up"}\n', r":2: the line is neither"),
            (HEAD + '{"ms": 1, "dir": "in", "hex": "0"}\n', r":2: the line is neither"),
            (HEAD + "not\n", r":2: the line is no JSON"),
        ):
            with self.subTest(text):
                self.file.write_text(text)
                with self.assertRaisesRegex(ValueError, message):
                    read_recording(self.file)

    def test_passes_over_a_line_that_a_crash_cut_off(self):
        whole = RECORDINGS / "scpi-tcp.ndjson"
        self.file.write_text(whole.read_text() + '{"ms": 1, "di')
        self.assertEqual(read_recording(self.file).entries, read_recording(whole).entries)


if __name__ == "__main__":
    unittest.main()
