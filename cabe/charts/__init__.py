"""What is drawn: numbers in, geometry out; no markup. Each chart's shape is a template in `templates/charts`."""

from cabe.charts.breakdown import Bar, Breakdown, breakdown
from cabe.charts.device_fit import DeviceFit, Need, device_fit
from cabe.charts.scatter import Dot, Scatter, Spot, scatter

__all__ = [
    "Bar",
    "Breakdown",
    "DeviceFit",
    "Dot",
    "Need",
    "Scatter",
    "Spot",
    "breakdown",
    "device_fit",
    "scatter",
]
