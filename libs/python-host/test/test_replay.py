import tempfile
import unittest
from pathlib import Path

from svc_lab.replay import MessageReplay, RecordedError, Recording, Replay, ReplayError, read_recording

# The tests of libs/instruments replay the same recordings.
RECORDINGS = Path(__file__).resolve().parents[2] / "instruments" / "fixtures"
OF_MESSAGES = ("eos", "http", "madsci", "mqtt", "opcua", "opentrons", "sila")
HEAD = '{"svc_recording": 1, "label": "x", "of": "y", "at": "z"}\n'


class ReplayOfASession(unittest.TestCase):
    def test_has_a_recording_of_each_protocol(self):
        names = {path.stem for path in RECORDINGS.glob("*.ndjson")}
        of_bytes = {"modbus-rtu", "modbus-tcp", "scpi-serial", "scpi-tcp", "text-serial"}
        self.assertEqual(names, of_bytes | set(OF_MESSAGES))

    def test_gives_every_request_its_answer(self):
        for path in RECORDINGS.glob("*.ndjson"):
            with self.subTest(path.name):
                recording = read_recording(path)
                if recording.has_messages:
                    continue
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


class ReplayOfMessages(unittest.TestCase):
    def test_makes_every_request_of_each_recording(self):
        for name in OF_MESSAGES:
            with self.subTest(name):
                recording = read_recording(RECORDINGS / f"{name}.ndjson")
                replay = MessageReplay(recording, strict=True)
                failed = 0
                for request in recording.requests():
                    try:
                        self.assertIsInstance(replay.ask(request), dict)
                    except RecordedError as error:
                        self.assertNotEqual(str(error), "")
                        failed += 1
                self.assertEqual(replay.left, 0)
                self.assertEqual(failed, 2 if name == "sila" else 0)

    def test_hears_what_the_instrument_says_by_itself(self):
        recording = read_recording(RECORDINGS / "mqtt.ndjson")
        replay = MessageReplay(recording)
        self.assertIn({"serial": "WB-7"}, [message["payload"] for message in replay.heard])
        for request in recording.requests():
            replay.ask(request)
        self.assertIn("mixed", [message["payload"] for message in replay.heard])

    def test_refuses_another_request_and_tells_the_expected_one(self):
        replay = MessageReplay(read_recording(RECORDINGS / "http.ndjson"), strict=True)
        with self.assertRaisesRegex(ReplayError, r'has at line \d+ \{"method": "GET".*, but \{"method": "PUT"'):
            replay.ask({"method": "PUT", "path": "/nowhere"})

    def test_repeats_the_last_answer_unless_strict(self):
        recording = read_recording(RECORDINGS / "http.ndjson")
        replay = MessageReplay(recording)
        request = {"method": "GET", "path": "/temperature"}
        answers = [replay.ask(request)["body"]["celsius"] for _ in range(3)]
        self.assertEqual(answers, [22, 37.5, 37.5])

    def test_tells_true_from_one(self):
        head = {"svc_recording": 1, "label": "x", "of": "y", "at": "z"}
        asked = {"ms": 1, "dir": "out", "exchange": 1, "message": {"on": True}}
        replay = MessageReplay(Recording(head, [asked, {**asked, "dir": "in", "message": {}}]))
        with self.assertRaises(ReplayError):
            replay.ask({"on": 1})
        self.assertEqual(replay.ask({"on": True}), {})


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
            (HEAD + '{"ms": 1, "dir": "out", "exchange": 0, "message": {}}\n', r":2: the line is neither"),
            (HEAD + '{"ms": 1, "dir": "out", "exchange": 1, "error": {"message": "x"}}\n', r":2: the line is neither"),
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
