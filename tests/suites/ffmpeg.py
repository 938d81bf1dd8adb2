# SPDX-License-Identifier: Apache-2.0
"""ffmpeg's OpenCL filters on generated pictures, against their twins in software where there is one, and byte by byte against
what PoCL alone computes."""
import os
import re

from harness import Suite, Test

_PSNR = re.compile(r"PSNR .*average:(\S+)")
_FRAME = re.compile(r"^\d+, +\d+, +\d+, +\d+, +\d+, +([0-9a-f]{32})$", re.MULTILINE)

PICTURE = "testsrc2=s=328x246:r=5:d=0.8"
SECOND = "smptebars=s=328x246:r=5:d=0.8"

# name: (pixel format, filter on the device, the same in software, least PSNR in dB)
TWINS = {
    "avgblur": ("yuv420p", "avgblur_opencl=sizeX=3", "avgblur=sizeX=3", 30),
    "boxblur": ("yuv420p", "boxblur_opencl=luma_radius=2", "boxblur=luma_radius=2", 30),
    "colorkey": ("rgba", "colorkey_opencl=color=red:similarity=0.2:blend=0.1", "colorkey=color=red:similarity=0.2:blend=0.1", 30),
    "convolution": ("yuv420p", "convolution_opencl=0m='1 1 1 1 1 1 1 1 1':0rdiv=0.1111", "convolution=0m='1 1 1 1 1 1 1 1 1':0rdiv=0.1111", 30),
    "convolution-5x5": ("yuv420p", "convolution_opencl=0m='" + " 1" * 25 + "':0rdiv=0.04", "convolution=0m='" + " 1" * 25 + "':0rdiv=0.04", 30),
    "dilation": ("yuv420p", "dilation_opencl", "dilation", 30),
    "erosion": ("yuv420p", "erosion_opencl", "erosion", 30),
    "nlmeans": ("yuv420p", "nlmeans_opencl=s=2:p=3:r=5", "nlmeans=s=2:p=3:r=5", 30),
    "pad": ("yuv420p", "pad_opencl=w=400:h=300:x=20:y=30:color=red", "pad=w=400:h=300:x=20:y=30:color=red", 25),
    "prewitt": ("yuv420p", "prewitt_opencl", "prewitt", 30),
    "roberts": ("yuv420p", "roberts_opencl", "roberts", 30),
    "sobel": ("yuv420p", "sobel_opencl", "sobel", 30),
    "transpose": ("yuv420p", "transpose_opencl=dir=clock", "transpose=dir=clock", 60),
    "transpose-flip": ("yuv420p", "transpose_opencl=dir=cclock_flip", "transpose=dir=cclock_flip", 60),
    "unsharp": ("yuv420p", "unsharp_opencl=lx=5:ly=5:la=1.5", "unsharp=lx=5:ly=5:la=1.5", 30),
    "unsharp-chroma": ("yuv420p", "unsharp_opencl=lx=7:ly=3:la=-1:cx=3:cy=3:ca=1", "unsharp=lx=7:ly=3:la=-1:cx=3:cy=3:ca=1", 30),
}
# name: (graph on pictures [a] and [b]). Not here: deshake_opencl, which spoils its own heap and dies of that on PoCL, or not.
PAIRS = {
    "overlay": ("[a]format=yuv420p,hwupload[u];[b]scale=100:80,format=yuv420p,hwupload[v];[u][v]overlay_opencl=x=40:y=60,hwdownload,format=yuv420p[c]",
                "[a]format=yuv420p[u];[b]scale=100:80,format=yuv420p[v];[u][v]overlay=x=40:y=60,format=yuv420p[c]"),
    "overlay-alpha": ("[a]format=yuv420p,hwupload[u];[b]scale=100:80,format=yuva420p,hwupload[v];[u][v]overlay_opencl=x=40:y=60,hwdownload,format=yuv420p[c]", ""),
    "xfade": ("[a]format=yuv420p,hwupload[u];[b]format=yuv420p,hwupload[v];[u][v]xfade_opencl=duration=0.5:offset=0.1,hwdownload,format=yuv420p[c]", ""),
    "tonemap": ("[b]nullsink;[a]format=p010,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc,hwupload,"
                "tonemap_opencl=tonemap=hable:format=nv12,hwdownload,format=nv12[c]", ""),
    "tonemap-mobius": ("[b]nullsink;[a]format=p010,setparams=color_primaries=bt2020:color_trc=arib-std-b67:colorspace=bt2020nc,hwupload,"
                       "tonemap_opencl=tonemap=mobius:format=p010,hwdownload,format=p010[c]", ""),
}


def reader(least):
    def read(finished):
        try:
            with open(os.path.join(finished.folder, "frames"), encoding="utf-8") as file:
                frames = _FRAME.findall(file.read())
        except FileNotFoundError:
            frames = []
        outcomes = {"runs": "pass" if finished.status == 0 and frames else "fail", "bytes": "=" + " ".join(frames) if frames else "fail"}
        if least is not None:
            match = _PSNR.search(finished.output)
            outcomes["twin"] = "pass" if match and float(match[1]) >= least else "fail"
        return outcomes
    return read


def test(name, graph, least):
    argv = ("ffmpeg", "-hide_banner", "-nostdin", "-nostats", "-init_hw_device", "opencl=ocl:0.0", "-filter_hw_device", "ocl", "-f", "lavfi", "-i", PICTURE,
            "-f", "lavfi", "-i", SECOND, "-filter_complex", graph, "-map", "[out]", "-f", "framemd5", "{folder}/frames")
    return Test(name, argv, reader(least))


def against_twin(pixels, device, software):
    return (f"[1:v]nullsink;[0:v]format={pixels},split[a][b];[a]hwupload,{device},hwdownload,format={pixels},split[out][c];"
            f"[b]{software},format={pixels}[d];[c][d]psnr,nullsink")


def of_pair(device, software):
    if not software:
        return device.replace("[a]", "[0:v]").replace("[b]", "[1:v]").replace("[c]", "[out]")
    second = re.sub(r"\[([abuvc])\]", r"[\g<1>2]", software)
    return (f"[0:v]split[a][a2];[1:v]split[b][b2];{device};{second};[c]split[out][c1];[c1][c2]psnr,nullsink")


def tests(quick):
    return ([test(name, against_twin(pixels, device, software), least) for name, (pixels, device, software, least) in TWINS.items()] +
            [test(name, of_pair(device, software), 30 if software else None) for name, (device, software) in PAIRS.items()])


SUITE = Suite("ffmpeg", ("ffmpeg",), tests)
