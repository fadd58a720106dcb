"""The calls of drivers: turns, and the emergency stop."""

import asyncio
import threading
import time
import unittest

from svc_lab.frameworks.calls import LoopRunner, ThreadRunner


def until(holds):
    end = time.monotonic() + 10
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("that never happened")
        time.sleep(0.005)


class Running:
    """A call in a thread of its own."""

    def __init__(self, call):
        self.value = self.error = None
        self._thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        self._thread.start()

    def _run(self, call):
        try:
            self.value = call()
        except BaseException as error:
            self.error = error

    def end(self):
        self._thread.join(10)
        if self._thread.is_alive():
            raise AssertionError("the call did not end")
        return self.value if self.error is None else self.error


class Source:
    """A driver that ramps in a loop, as drivers do."""

    def __init__(self):
        self.voltage = 0
        self.log = []

    def ramp(self):
        while True:
            try:
                self.voltage += 1
                time.sleep(0.005)
            except Exception:
                self.log.append("swallowed")

    def zero(self):
        self.voltage = 0


class ACallInAThread(unittest.TestCase):
    def setUp(self):
        self.source = Source()
        self.runner = ThreadRunner(one_at_a_time=True)

    def test_returns_what_the_driver_returns_and_raises_what_it_raises(self):
        self.assertEqual(self.runner.wrap("add", lambda a, b: a + b, True)(a=1, b=2), 3)
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            self.runner.wrap("divide", lambda: 1 / 0, True)()

    def test_takes_no_further_step_after_a_stop_whose_own_command_comes_last(self):
        ramp = Running(self.runner.wrap("ramp", self.source.ramp, True))
        until(lambda: self.source.voltage > 3)
        self.runner.stopper([self.source.zero])("somebody pressed it")
        self.assertEqual(str(ramp.end()), "ramp was stopped")
        self.assertEqual((self.source.voltage, self.source.log), (0, []))
        time.sleep(0.05)
        self.assertEqual(self.source.voltage, 0)

    def test_can_be_made_again_after_a_stop(self):
        for _ in range(20):
            ramp = Running(self.runner.wrap("ramp", self.source.ramp, True))
            until(lambda: self.source.voltage > 1)
            self.runner.stopper([self.source.zero])("again")
            self.assertIsInstance(ramp.end(), RuntimeError)
        self.assertEqual(self.runner.wrap("read", lambda: self.source.voltage, False)(), 0)

    def test_that_ends_while_a_stop_comes_lets_nothing_reach_the_thread_behind_it(self):
        stop = self.runner.stopper([])
        short = self.runner.wrap("short", lambda: None, True)
        outcomes = []

        def many():
            for _ in range(3000):
                try:
                    short()
                    outcomes.append("done")
                except RuntimeError as error:
                    outcomes.append(str(error))

        calls = Running(many)
        end = time.monotonic() + 20
        while calls._thread.is_alive() and time.monotonic() < end:
            stop("now")
        self.assertIsNone(calls.end())
        self.assertEqual(len(outcomes), 3000)
        self.assertLessEqual(set(outcomes), {"done", "short was stopped"})

    def test_makes_a_query_wait_unless_the_driver_serves_several_threads(self):
        for one_at_a_time, expected in ((True, ["effect", "query"]), (False, ["query", "effect"])):
            with self.subTest(one_at_a_time):
                order, begun, go = [], threading.Event(), threading.Event()
                runner = ThreadRunner(one_at_a_time=one_at_a_time)

                def effect(order=order, begun=begun, go=go):
                    begun.set()
                    go.wait(10)
                    order.append("effect")

                running = Running(runner.wrap("effect", effect, True))
                begun.wait(10)
                query = Running(runner.wrap("query", lambda order=order: order.append("query"), False))
                if one_at_a_time:
                    time.sleep(0.05)
                else:
                    query.end()
                go.set()
                running.end()
                query.end()
                self.assertEqual(order, expected)

    def test_that_hangs_in_the_instrument_does_not_hold_up_the_stop(self):
        go = threading.Event()
        hanging = Running(self.runner.wrap("hang", lambda: go.wait(10), True))
        until(lambda: self.runner._running)
        begin = time.monotonic()
        with self.assertRaisesRegex(RuntimeError, "<lambda>: division by zero"):
            self.source.voltage = 5
            self.runner.stopper([lambda: 1 / 0, self.source.zero])("now")
        self.assertEqual(self.source.voltage, 0)
        self.assertLess(time.monotonic() - begin, 4)
        go.set()
        self.assertEqual(str(hanging.end()), "hang was stopped")


class ACallInTheLoop(unittest.TestCase):
    def test_is_cancelled_by_a_stop_and_then_the_instrument_is_stopped(self):
        async def main():
            runner, order = LoopRunner(), []

            async def move(to):
                try:
                    await asyncio.sleep(30)
                finally:
                    order.append("moved")

            async def halt():
                order.append("halted")

            running = asyncio.ensure_future(runner.wrap("move", move, True)(to=3))
            await asyncio.sleep(0.01)
            await runner.stopper([halt, lambda: order.append("plain")])("now")
            with self.assertRaisesRegex(RuntimeError, "move was stopped"):
                await running
            self.assertEqual(set(order), {"moved", "halted", "plain"})
            self.assertEqual(await runner.wrap("add", lambda a: a + 1, True)(a=1), 2)

        asyncio.run(main())
