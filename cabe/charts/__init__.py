"""What is drawn: numbers in, geometry out; no markup. Each chart's shape is a template in `templates/charts`."""

from cabe.charts.breakdown import Bar, Breakdown, breakdown
from cabe.charts.curves import Curves, curves
from cabe.charts.device_fit import DeviceFit, Need, device_fit
from cabe.charts.fits import Fits, fits
from cabe.charts.scatter import Dot, Scatter, Spot, scatter
from cabe.charts.share import Block, Share, share

__all__ = [
    "Bar",
    "Block",
    "Breakdown",
    "Curves",
    "DeviceFit",
    "Dot",
    "Fits",
    "Need",
    "Scatter",
    "Share",
    "Spot",
    "breakdown",
    "curves",
    "device_fit",
    "fits",
    "scatter",
    "share",
]
