"""What is drawn: numbers in, geometry out; no markup. Each chart's shape is a template in `templates/charts`."""

from cabe.charts.breakdown import Bar, Breakdown, breakdown
from cabe.charts.device_fit import DeviceFit, Need, device_fit
from cabe.charts.scatter import Dot, Scatter, Spot, scatter
from cabe.charts.share import Block, Share, share

__all__ = [
    "Bar",
    "Block",
    "Breakdown",
    "DeviceFit",
    "Dot",
    "Need",
    "Scatter",
    "Share",
    "Spot",
    "breakdown",
    "device_fit",
    "scatter",
    "share",
]
