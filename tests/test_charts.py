"""Charts: geometry as numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cabe import charts
from cabe.charts.axis import log_percent, log_ticks, step_for, ticks
from cabe.charts.breakdown import PITCH, THIN_PIXELS, TOP

SEVEN_B = [
    charts.Bar(
        (("trainable_weights", 14), ("gradients", 14), ("master_weights", 28), ("optimizer_states", 56)), ("14",) * 4
    ),
    charts.Bar((("frozen_weights", 14), ("trainable_weights", 0.16), ("gradients", 0.16)), ("14", "0.16", "0.16")),
]


@pytest.mark.parametrize(
    ("top", "step"), [(112, 20), (14, 2), (7, 1), (0.7, 0.1), (1124, 200), (36, 10), (0, 1), (1e-9, 2e-10)]
)
def test_an_axis_takes_round_steps(top: float, step: float) -> None:
    assert step_for(top) == pytest.approx(step)


def test_ticks_run_from_zero_to_the_end() -> None:
    assert [(tick.x, tick.value) for tick in ticks(120, 40)] == [(0, 0), (33.333, 40), (66.667, 80), (100, 120)]


def test_the_axis_of_a_breakdown_ends_on_a_tick() -> None:
    made = charts.breakdown(SEVEN_B)
    assert made.top == 120
    assert made.ticks[-1].x == 100


def test_parts_stand_end_to_end_in_their_order() -> None:
    first = charts.breakdown(SEVEN_B).rows[0].segments
    assert [segment.part for segment in first] == [name for name, _ in SEVEN_B[0].parts]
    for left, right in pairwise(first):
        assert right.x == pytest.approx(left.x + (left.width or 0), abs=0.002)
    assert first[-1].x + (first[-1].width or 0) == pytest.approx(112 / 120 * 100, abs=0.01)


def test_a_part_too_thin_to_see_gets_two_pixels_and_moves_the_next_one() -> None:
    frozen, weights, gradients = charts.breakdown(SEVEN_B).rows[1].segments
    assert (frozen.shift, frozen.width) == (0, 11.667)
    assert (weights.x, weights.shift, weights.width) == (11.667, 0, None)
    assert (gradients.x, gradients.shift, gradients.width) == (11.667, THIN_PIXELS, None)


def test_a_value_waits_for_its_room() -> None:
    first = charts.breakdown(SEVEN_B).rows[0].segments
    assert [segment.room for segment in first] == [240, 240, 240, 240]
    narrow = charts.breakdown([charts.Bar((("a", 98), ("b", 2)), ("98", "2.25"))]).rows[0].segments
    assert [segment.room for segment in narrow] == [240, None]


def test_a_part_of_nothing_is_not_drawn() -> None:
    assert len(charts.breakdown([charts.Bar((("a", 0), ("b", 1)), ("0", "1"))]).rows[0].segments) == 1


def test_bars_stand_below_each_other() -> None:
    made = charts.breakdown(SEVEN_B)
    assert [row.y for row in made.rows] == [TOP, TOP + PITCH]
    assert made.height == TOP + 2 * PITCH


def test_a_breakdown_without_bars_or_of_nothing_is_still_a_chart() -> None:
    assert charts.breakdown([]).rows == ()
    assert charts.breakdown([charts.Bar((("a", 0),), ("0",))]).top == 1


def test_a_device_is_a_frame_with_its_usable_part_and_its_reserve() -> None:
    made = charts.device_fit(36, 27, [charts.Need(6, 6), charts.Need(22, 26)])
    assert (made.frame, made.usable, made.reserve) == (98.039, 73.529, 24.51)
    assert made.limit_left


def test_a_bar_may_leave_the_frame() -> None:
    made = charts.device_fit(36, 27, [charts.Need(40, 40)])
    assert made.rows[0].solid > made.frame
    assert made.rows[0].solid < 100


def test_a_range_has_a_paler_end() -> None:
    row = charts.device_fit(36, 27, [charts.Need(22, 26)]).rows[0]
    assert (row.solid, row.pale) == (59.913, 10.893)


def test_a_limit_near_the_left_edge_has_its_label_on_the_right() -> None:
    assert not charts.device_fit(16, 16, [charts.Need(112, 112)]).limit_left


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (12, 80, [10, 20, 50, 100]),
        (10, 100, [10, 20, 50, 100]),
        (0.97, 134, [0.5, 1, 2, 5, 10, 20, 50, 100, 200]),
        (5, 5, [5, 10]),
        (3e-5, 4e-5, [2e-5, 5e-5]),
    ],
)
def test_a_logarithmic_axis_starts_and_ends_on_a_mark(low: float, high: float, marks: list[float]) -> None:
    made = log_ticks(low, high)
    assert [tick.value for tick in made] == pytest.approx(marks)
    assert (made[0].x, made[-1].x) == (0, 100)


def test_equal_ratios_are_equal_steps_of_a_logarithmic_axis() -> None:
    assert [log_percent(value, 1, 100) for value in (1, 10, 100)] == [0, 50, 100]
    assert log_percent(20, 10, 100) == log_percent(2, 1, 10)


def test_a_prediction_that_hits_stands_on_the_diagonal() -> None:
    made = charts.scatter([charts.Dot(20, 20), charts.Dot(80, 80), charts.Dot(80, 40), charts.Dot(40, 80)], 0.1)
    hit, also, low, high = made.spots
    assert (hit.x + hit.y, also.x + also.y) == (100, 100)
    assert low.x + low.y > 100, "too small a prediction stands below the diagonal, where y is larger"
    assert high.x + high.y < 100


def test_the_band_holds_what_is_within_its_share_and_nothing_else() -> None:
    made = charts.scatter([charts.Dot(10, 11), charts.Dot(100, 90)], 0.1)
    bottom, above, top, corner, below, right = made.band
    assert [(one.x, one.y) for one in (bottom, corner)] == [(0, 100), (100, 0)]
    assert (above.y, top.x) == (made.spots[0].y, made.spots[0].y)
    assert (below.y, right.x) == (made.spots[1].y, made.spots[1].y)


def test_devices_stand_below_one_another_and_bars_are_shares_of_the_usable_memory() -> None:
    made = charts.fits([(0.5, 1.0), (0.23, 3.0)])
    assert made.frame == 86.957  # the drawing ends at 115 %
    assert [(device.y, device.body) for device in made.devices] == [(0, 74), (134, 74)]
    assert [(row.y, row.width, row.beyond) for row in made.devices[0].rows] == [(0, 43.478, False), (34, 86.957, False)]
    assert [(row.width, row.beyond) for row in made.devices[1].rows] == [(20, False), (100, True)]
    assert made.height == 134 + 40 + 74 + 2


def test_curves_share_their_axes_and_are_counted_from_the_top() -> None:
    made = charts.curves([512, 1024, 2048], [(10, 10, 10), (5, 10, 40)])
    assert [(tick.x, tick.value) for tick in made.up] == [(100, 0), (75, 10), (50, 20), (25, 30), (0, 40)]
    assert [(tick.x, tick.value) for tick in made.across] == [(0, 0), (25, 512), (50, 1024), (75, 1536), (100, 2048)]
    assert [(spot.x, spot.y) for spot in made.curves[0]] == [(25, 75), (50, 75), (100, 75)]
    assert [(spot.x, spot.y) for spot in made.curves[1]] == [(25, 87.5), (50, 75), (100, 0)]


def test_a_curve_of_nothing_lies_on_the_axis() -> None:
    made = charts.curves([1, 2], [(0, 0)])
    assert [spot.y for spot in made.curves[0]] == [100, 100]


@pytest.mark.parametrize(("memory", "named"), [(24, True), (20, False)])
def test_the_reserve_is_named_where_its_name_has_room(memory: float, named: bool) -> None:
    assert charts.device_fit(memory, 18, [charts.Need(5, 5)]).reserve_named is named
