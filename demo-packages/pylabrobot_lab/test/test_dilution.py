"""Needs PyLabRobot. `e2e/pylabrobot.e2e.test.ts` runs it in the environment of the demo."""

import asyncio
import math
import unittest

from pylabrobot.resources import cor_96_wellplate_360uL_Fb
from pylabrobot_lab.handling.fit import dilution_of
from pylabrobot_lab.simulation.dye import FILM, SHARE_DRAWN, Liquid
from pylabrobot_lab.simulation.plate_reader import ABSORPTION, PLASTIC, DyeReader


class AFit(unittest.TestCase):
    def test_finds_the_factor_of_exact_steps(self):
        factor, error = dilution_of([1.6 / 2.5**step for step in range(5)])
        self.assertAlmostEqual(factor, 2.5)
        self.assertAlmostEqual(error, 0)

    def test_tells_the_scatter_around_the_fit_and_leaves_out_what_is_lost_in_the_noise(self):
        factor, error = dilution_of([1.0 * 1.1, 0.5 / 1.1, 0.25 / 1.1, 0.125 * 1.1, 0.001])
        self.assertAlmostEqual(factor, 2.0)
        self.assertAlmostEqual(error, math.log(1.1))

    def test_needs_three_steps(self):
        with self.assertRaisesRegex(ValueError, "only 2 of 4 steps are darker than the blank"):
            dilution_of([1, 0.1, 0.001, 0])


class ALiquid(unittest.TestCase):
    def test_loses_what_is_drawn_and_no_dye_vanishes(self):
        well = Liquid(volume=200, dye=20)
        drawn = well.draw(100, flow=100)
        self.assertAlmostEqual(drawn.volume, 100 * SHARE_DRAWN - FILM)
        self.assertAlmostEqual(drawn.concentration, 0.1)
        self.assertAlmostEqual(well.dye + drawn.dye, 20)

    def test_is_drawn_from_below_what_was_added_until_it_is_mixed(self):
        concentrations = []
        for times in (0, 1, 20):
            well = Liquid(volume=100)
            well.add(Liquid(volume=100, dye=10))
            well.mix(100, times, flow=100)
            concentrations.append(well.draw(50, flow=100).concentration)
        self.assertEqual(concentrations[0], 0)
        self.assertLess(concentrations[0], concentrations[1])
        self.assertAlmostEqual(concentrations[2], 0.05, places=6)


class AReading(unittest.TestCase):
    def read(self, seed, wavelength=427):
        plate = cor_96_wellplate_360uL_Fb("plate")
        reader = DyeReader(seed=seed, noise=0.001)
        reader.load_contents(plate, {"A1": {"volume": 200, "dye": 10}, "A2": {"volume": 200, "dye": 5}})
        wells = plate["A1:H1"] + plate["A2:H2"]
        return plate, asyncio.run(reader.read_absorbance(plate, wells, wavelength))[0]["data"]

    def test_follows_lambert_and_beer_and_has_the_noise_of_its_seed(self):
        plate, data = self.read(seed=1)
        well = plate["A1"][0]
        path = 200 / (math.pi / 4 * well.get_size_x() * well.get_size_y()) / 10
        self.assertAlmostEqual(data[0][0] - PLASTIC, ABSORPTION * 0.05 * path, delta=0.005)
        self.assertAlmostEqual((data[0][0] - PLASTIC) / (data[0][1] - PLASTIC), 2, delta=0.03)
        self.assertAlmostEqual(data[7][0], PLASTIC, delta=0.005)
        self.assertIsNone(data[0][2])
        self.assertEqual(data, self.read(seed=1)[1])
        self.assertNotEqual(data, self.read(seed=2)[1])

    def test_is_near_zero_where_the_dye_absorbs_nothing(self):
        self.assertAlmostEqual(self.read(seed=1, wavelength=700)[1][0][0], PLASTIC, delta=0.005)
