# SPDX-License-Identifier: Apache-2.0
"""One group of OpenCV's functions on UMats. For each: `NAME: near` where OpenCV's own code for the processor gives the same within a tolerance,
else `NAME: far DIFFERENCE`; and `NAME bytes: CHECKSUM` of what came out.

usage: opencv_umat.py GROUP
"""
import sys
import zlib

import cv2
import numpy as np

random = np.random.default_rng(5)
WIDTH, HEIGHT = 322, 243  # no multiple of any work-group
smooth = cv2.GaussianBlur(random.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8), (0, 0), 3)
picture = cv2.normalize(smooth, None, 0, 255, cv2.NORM_MINMAX)
other = np.ascontiguousarray(picture[::-1, ::-1])
grey, other_grey = picture[..., 0].copy(), other[..., 1].copy()
noise = random.integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
floats = random.standard_normal((HEIGHT, WIDTH)).astype(np.float32)
more_floats = random.standard_normal((HEIGHT, WIDTH)).astype(np.float32)
positive = np.abs(floats) + np.float32(0.1)
complexes = random.standard_normal((128, 96, 2)).astype(np.float32)
square, another_square = (random.standard_normal((96, 96)).astype(np.float32) for _ in range(2))
doubles = random.standard_normal((HEIGHT, WIDTH))
shorts = random.integers(-3000, 3000, (HEIGHT, WIDTH), dtype=np.int16)
ints = random.integers(-100000, 100000, (HEIGHT, WIDTH), dtype=np.int32)
mask = (noise > 128).astype(np.uint8) * 255
shape = np.zeros((HEIGHT, WIDTH), np.uint8)
cv2.circle(shape, (150, 120), 60, 255, 9)
cv2.rectangle(shape, (20, 30), (90, 200), 255, -1)

rotation = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 17, 0.9)
perspective = cv2.getPerspectiveTransform(np.float32([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]]),
                                          np.float32([[10, 20], [WIDTH - 30, 5], [WIDTH - 5, HEIGHT - 25], [25, HEIGHT - 3]]))
xs, ys = np.meshgrid(np.arange(WIDTH, dtype=np.float32), np.arange(HEIGHT, dtype=np.float32))
map_x, map_y = xs + 5 * np.sin(ys / 20), ys + 7 * np.cos(xs / 30)
kernel = random.standard_normal((5, 5)).astype(np.float32) / 5
ellipse = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
templ = np.ascontiguousarray(grey[60:95, 100:140])
table = (255 - np.arange(256)).astype(np.uint8)

# group: name: (function, arguments that become UMats, tolerance: of the largest difference, or of the share of elements that differ by more than 1)
BYTES = ("share", 0.02)


def groups():
    return {**of_numbers(), **of_pictures()}


def of_numbers():
    return {
        "arithmetic": {
            "add": (cv2.add, (picture, other), 0), "subtract": (cv2.subtract, (shorts, shorts[::-1].copy()), 0),
            "multiply": (cv2.multiply, (floats, more_floats), 1e-5), "divide": (cv2.divide, (floats, positive), 1e-4),
            "add_masked": (lambda a, b, m: cv2.add(a, b, mask=m), (grey, other_grey, mask), 0),
            "addWeighted": (lambda a, b: cv2.addWeighted(a, 0.3, b, 0.6, 7), (picture, other), 1), "absdiff": (cv2.absdiff, (ints, ints[::-1].copy()), 0),
            "scaleAdd": (lambda a, b: cv2.scaleAdd(a, 1.5, b), (doubles, doubles[::-1].copy()), 1e-12),
            "bitwise_and": (cv2.bitwise_and, (picture, other), 0), "bitwise_xor": (cv2.bitwise_xor, (ints, ints[::-1].copy()), 0), "bitwise_not": (cv2.bitwise_not, (shorts,), 0),
            "min": (cv2.min, (floats, more_floats), 0), "max": (cv2.max, (shorts, shorts[::-1].copy()), 0),
            "compare": (lambda a, b: cv2.compare(a, b, cv2.CMP_GT), (floats, more_floats), 0), "inRange": (lambda a: cv2.inRange(a, (50, 60, 70), (200, 190, 180)), (picture,), 0),
            "convertScaleAbs": (lambda a: cv2.convertScaleAbs(a, alpha=0.7, beta=3), (shorts,), 1), "LUT": (cv2.LUT, (picture, table), 0),
            "normalize": (lambda a: cv2.normalize(a, None, 0, 1, cv2.NORM_MINMAX), (floats,), 1e-5),
            "setIdentity": (lambda a: cv2.setIdentity(a, 3), (square.copy(),), 0),
        },
        "mathematics": {
            "exp": (cv2.exp, (floats,), 1e-4), "log": (cv2.log, (positive,), 1e-5), "pow": (lambda a: cv2.pow(a, 2.3), (positive,), 1e-3), "pow3": (lambda a: cv2.pow(a, 3), (doubles,), 1e-9),
            "sqrt": (cv2.sqrt, (positive,), 1e-5), "magnitude": (cv2.magnitude, (floats, more_floats), 1e-5), "phase": (cv2.phase, (floats, more_floats), 1e-3),
            "cartToPolar": (lambda a, b: cv2.cartToPolar(a, b)[1], (floats, more_floats), 1e-2), "polarToCart": (lambda a, b: cv2.polarToCart(a, b)[0], (positive, floats), 1e-4),
            "gemm": (lambda a, b: cv2.gemm(a, b, 1.5, None, 0), (square, another_square), 1e-3), "gemm_transposed": (lambda a, b, c: cv2.gemm(a, b, 1, c, 0.5, flags=cv2.GEMM_1_T), (square, another_square, square.T.copy()), 1e-3),
            "mulTransposed": (lambda a: cv2.mulTransposed(a, True), (square,), 1e-3),
            "dft": (cv2.dft, (complexes,), 1e-2), "idft": (lambda a: cv2.idft(a, flags=cv2.DFT_SCALE), (complexes,), 1e-5), "dft_real": (lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), (floats[:240, :320].copy(),), 1e-1),
            "dct": (cv2.dct, (square,), 1e-3), "mulSpectrums": (lambda a, b: cv2.mulSpectrums(a, b, 0, conjB=True), (complexes, complexes[::-1].copy()), 1e-4),
            "transform": (lambda a: cv2.transform(a, np.float32([[.3, .5, .2], [.1, .7, .2], [.9, 0, .1]])), (picture,), 1),
        },
        "reductions": {
            "sum": (cv2.sumElems, (picture,), 0), "sum_float": (cv2.sumElems, (floats,), 1e-2), "mean": (cv2.mean, (grey,), 1e-6), "meanStdDev": (lambda a: np.vstack(list(map(get, cv2.meanStdDev(a)))), (picture,), 1e-4),
            "norm_l1": (lambda a: cv2.norm(a, cv2.NORM_L1), (grey,), 0), "norm_l2": (lambda a, b: cv2.norm(a, b, cv2.NORM_L2), (floats, more_floats), 1e-3), "norm_inf": (lambda a: cv2.norm(a, cv2.NORM_INF), (ints,), 0),
            "minMaxLoc": (lambda a: np.array([*cv2.minMaxLoc(a)[:2], *cv2.minMaxLoc(a)[2], *cv2.minMaxLoc(a)[3]]), (floats,), 0), "countNonZero": (cv2.countNonZero, (mask,), 0),
            "reduce_sum": (lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S), (grey,), 0), "reduce_max": (lambda a: cv2.reduce(a, 1, cv2.REDUCE_MAX), (floats,), 0),
            "calcHist": (lambda a: cv2.calcHist([a], [0], None, [256], [0, 256]), (noise,), 0), "integral": (cv2.integral, (grey,), 0), "integral2": (lambda a: cv2.integral2(a)[1], (grey,), 1e-9),
            "equalizeHist": (cv2.equalizeHist, (grey,), 0), "PSNR": (cv2.PSNR, (picture, other), 1e-6), "moments": (lambda a: np.array(list(cv2.moments(a).values())[:10]) / 1e12, (grey,), 1e-9),
        },
        "shape": {
            "flip": (lambda a: cv2.flip(a, -1), (picture,), 0), "transpose": (cv2.transpose, (picture,), 0), "rotate": (lambda a: cv2.rotate(a, cv2.ROTATE_90_CLOCKWISE), (ints,), 0), "repeat": (lambda a: cv2.repeat(a, 2, 3), (grey,), 0),
            "copyMakeBorder": (lambda a: cv2.copyMakeBorder(a, 5, 7, 11, 3, cv2.BORDER_REFLECT), (picture,), 0), "merge": (lambda a, b: cv2.merge([a, b, a]), (grey, other_grey), 0), "split": (lambda a: cv2.split(a)[2], (picture,), 0),
            "mixChannels": (lambda a: cv2.extractChannel(a, 1), (picture,), 0), "hconcat": (lambda a, b: cv2.hconcat([a, b]), (picture, other), 0), "copyTo": (lambda a, m: cv2.copyTo(a, m), (grey, mask), 0),
        },
    }


def of_pictures():
    return {
        "filters": {
            "GaussianBlur": (lambda a: cv2.GaussianBlur(a, (5, 5), 1.2), (picture,), 1), "GaussianBlur_float": (lambda a: cv2.GaussianBlur(a, (9, 9), 2), (floats,), 1e-4), "GaussianBlur3": (lambda a: cv2.GaussianBlur(a, (3, 3), 0), (grey,), 1),
            "blur": (lambda a: cv2.blur(a, (7, 5)), (picture,), 1), "boxFilter": (lambda a: cv2.boxFilter(a, cv2.CV_32F, (9, 9)), (grey,), 1e-2), "sqrBoxFilter": (lambda a: cv2.sqrBoxFilter(a, cv2.CV_32F, (3, 3)), (floats,), 1e-4),
            "medianBlur3": (lambda a: cv2.medianBlur(a, 3), (grey,), 0), "medianBlur5": (lambda a: cv2.medianBlur(a, 5), (picture,), 0), "bilateralFilter": (lambda a: cv2.bilateralFilter(a, 7, 40, 40), (picture,), 1),
            "filter2D": (lambda a: cv2.filter2D(a, cv2.CV_32F, kernel), (grey,), 1e-2), "sepFilter2D": (lambda a: cv2.sepFilter2D(a, -1, kernel[0], kernel[1]), (floats,), 1e-4), "Sobel": (lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0), (grey,), 0),
            "Scharr": (lambda a: cv2.Scharr(a, cv2.CV_32F, 0, 1), (grey,), 1e-3), "Laplacian": (lambda a: cv2.Laplacian(a, cv2.CV_16S, ksize=3), (grey,), 0), "Laplacian5": (lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=5), (grey,), 1e-2),
        },
        "morphology": {
            "erode": (lambda a: cv2.erode(a, ellipse), (grey,), 0), "dilate": (lambda a: cv2.dilate(a, None, iterations=3), (picture,), 0), "open": (lambda a: cv2.morphologyEx(a, cv2.MORPH_OPEN, ellipse), (grey,), 0),
            "gradient": (lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, ellipse), (grey,), 0), "tophat": (lambda a: cv2.morphologyEx(a, cv2.MORPH_TOPHAT, ellipse), (grey,), 0),
            "threshold": (lambda a: cv2.threshold(a, 120, 200, cv2.THRESH_BINARY)[1], (grey,), 0), "threshold_trunc": (lambda a: cv2.threshold(a, 0.2, 1, cv2.THRESH_TRUNC)[1], (floats,), 0), "threshold_otsu": (lambda a: cv2.threshold(a, 0, 255, cv2.THRESH_OTSU)[1], (grey,), 0),
            "adaptiveThreshold": (lambda a: cv2.adaptiveThreshold(a, 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY, 11, 2), (grey,), ("share", 0.05)),
        },
        "geometry": {
            "resize_linear": (lambda a: cv2.resize(a, (500, 111)), (picture,), 1), "resize_nearest": (lambda a: cv2.resize(a, (2 * WIDTH, 3 * HEIGHT), interpolation=cv2.INTER_NEAREST), (picture,), 0), "resize_area": (lambda a: cv2.resize(a, (161, 81), interpolation=cv2.INTER_AREA), (picture,), 1),
            "resize_float": (lambda a: cv2.resize(a, None, fx=1.7, fy=2.1), (floats,), 1e-2), "warpAffine": (lambda a: cv2.warpAffine(a, rotation, (WIDTH, HEIGHT)), (picture,), BYTES), "warpAffine_cubic": (lambda a: cv2.warpAffine(a, rotation, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC), (grey,), BYTES),
            "warpPerspective": (lambda a: cv2.warpPerspective(a, perspective, (WIDTH, HEIGHT)), (picture,), BYTES), "remap": (lambda a, x, y: cv2.remap(a, x, y, cv2.INTER_LINEAR), (picture, map_x, map_y), BYTES), "pyrDown": (cv2.pyrDown, (picture,), 1), "pyrUp": (cv2.pyrUp, (grey,), 1),
            "getRectSubPix": (lambda a: cv2.getRectSubPix(a, (50, 40), (100.3, 90.6)), (grey,), 1),
        },
        "colours": {name: ((lambda code: lambda a: cv2.cvtColor(a, code))(getattr(cv2, f"COLOR_{name}")), (picture,), 1)
                    for name in ("BGR2GRAY", "BGR2RGB", "BGR2YUV", "BGR2YCrCb", "BGR2XYZ", "BGR2HSV", "BGR2HLS", "BGR2Lab", "BGR2BGRA", "YUV2BGR", "HSV2BGR", "XYZ2BGR")} |
                   {"YUV2BGR_NV12": (lambda a: cv2.cvtColor(a, cv2.COLOR_YUV2BGR_NV12), (noise[:240, :320].copy(),), 1), "BGR2BGR565": (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2BGR565), (picture,), 0)},
        "features": {
            "Canny": (lambda a: cv2.Canny(a, 20, 60), (grey,), ("share", 0.01)), "cornerHarris": (lambda a: cv2.cornerHarris(a, 3, 3, 0.04), (grey,), 1e-4), "cornerMinEigenVal": (lambda a: cv2.cornerMinEigenVal(a, 3), (grey,), 1e-4),
            "goodFeaturesToTrack": (lambda a: np.sort(get(cv2.goodFeaturesToTrack(a, 40, 0.05, 8)).reshape(-1, 2), axis=0), (grey,), ("share", 0.1)), "FAST": (lambda a: np.array(sorted(k.pt for k in cv2.FastFeatureDetector_create(12).detect(a))), (shape,), 0),
            "matchTemplate": (lambda a, t: cv2.matchTemplate(a, t, cv2.TM_CCOEFF_NORMED), (grey, templ), 1e-3), "matchTemplate_sqdiff": (lambda a, t: cv2.matchTemplate(a, t, cv2.TM_SQDIFF) / 1e6 if isinstance(a, np.ndarray) else cv2.multiply(cv2.matchTemplate(a, t, cv2.TM_SQDIFF), 1e-6), (grey, templ), 1e-3),
            "ORB": (lambda a: np.array([len(cv2.ORB_create(100).detect(a, None))]), (shape,), 10),
            "calcBackProject": (lambda a: cv2.calcBackProject([a], [0], np.arange(32, dtype=np.float32).reshape(32, 1) if isinstance(a, np.ndarray) else cv2.UMat(np.arange(32, dtype=np.float32).reshape(32, 1)), [0, 256], 1), (grey,), 1),
            "clahe": (lambda a: cv2.createCLAHE(2.0, (8, 8)).apply(a), (grey,), 1),
        },
        "video": {
            "opticalFlowFarneback": (lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 3, 15, 3, 5, 1.2, 0), (grey, np.roll(grey, 2, axis=1)), 0.5), "opticalFlowPyrLK": (lambda a, b: lucas_kanade(a, b), (grey, np.roll(grey, 2, axis=1)), 0.1),
            "BackgroundSubtractorMOG2": (lambda a, b: subtract_background(cv2.createBackgroundSubtractorMOG2(detectShadows=False), a, b), (picture, other), ("share", 0.02)), "fastNlMeansDenoising": (lambda a: cv2.fastNlMeansDenoising(a, None, 5, 5, 11), (grey[:100, :120].copy(),), 1),
            "accumulateWeighted": (lambda a, b: cv2.accumulateWeighted(a, b, 0.3), (grey, positive.copy()), 1e-3), "accumulateProduct": (lambda a, b, c: cv2.accumulateProduct(a, b, c), (grey, other_grey, positive.copy()), 1e-1),
        },
    }


def lucas_kanade(first, second):
    points = np.float32([[[x, y]] for y in range(40, 200, 40) for x in range(40, 280, 40)])
    moved = cv2.calcOpticalFlowPyrLK(first, second, points if isinstance(first, np.ndarray) else cv2.UMat(points), None)[0]
    return moved


def subtract_background(model, first, second):
    for _ in range(4):
        model.apply(first)
    return model.apply(second)


def get(value):
    return np.atleast_1d(np.asarray(value.get() if isinstance(value, cv2.UMat) else value))


def difference(here, there, tolerance):
    """-> how far they are apart, by the measure of the tolerance, and what is allowed."""
    if here.shape != there.shape or here.dtype != there.dtype:
        return f"{here.dtype}{here.shape} for {there.dtype}{there.shape}", 0
    apart = np.abs(here.astype(np.float64) - there.astype(np.float64))
    if isinstance(tolerance, tuple):
        return float(np.mean(apart > 1)), tolerance[1]
    return float(apart.max(initial=0)), tolerance


def main():
    cv2.ocl.setUseOpenCL(True)
    far = 0
    for name, (function, arguments, tolerance) in groups()[sys.argv[1]].items():
        cv2.ocl.setUseOpenCL(False)
        there = get(function(*(argument.copy() for argument in arguments)))
        cv2.ocl.setUseOpenCL(True)
        here = get(function(*(cv2.UMat(argument.copy()) for argument in arguments)))
        apart, allowed = difference(here, there, tolerance)
        near = not isinstance(apart, str) and apart <= allowed
        far += not near
        print(f"{name}: {'near' if near else f'far {apart}'}\n{name} bytes: {zlib.crc32(np.ascontiguousarray(here).tobytes()):08x}", flush=True)
    print(f"opencl: {'used' if cv2.ocl.useOpenCL() else 'not used'}")
    return far > 0


if __name__ == "__main__":
    sys.exit(main())
