import Foundation

/// The discrete Fourier transform for a power of two, in place, in doubles.
///
/// Loops are written with pointers and `while`, so that tests stay quick in a debug build.
package struct FourierTransform {
    package let size: Int
    private let cosines: [Double]
    private let sines: [Double]

    /// `size` is a power of two.
    package init(size: Int) {
        precondition(size > 1 && size & (size - 1) == 0)
        self.size = size
        cosines = (0..<size / 2).map { cos(2 * .pi * Double($0) / Double(size)) }
        sines = (0..<size / 2).map { sin(2 * .pi * Double($0) / Double(size)) }
    }

    /// The smallest transform that holds this many samples.
    package init(holding count: Int) {
        var size = 2
        while size < count { size *= 2 }
        self.init(size: size)
    }

    /// e^(−jωt); `inverse` is not scaled by 1/size.
    package func transform(real: inout [Double], imaginary: inout [Double], inverse: Bool = false) {
        precondition(real.count == size && imaginary.count == size)
        let sign = inverse ? 1.0 : -1.0
        real.withUnsafeMutableBufferPointer { real in
            imaginary.withUnsafeMutableBufferPointer { imaginary in
                cosines.withUnsafeBufferPointer { cosines in
                    sines.withUnsafeBufferPointer { sines in
                        let (re, im) = (real.baseAddress!, imaginary.baseAddress!)
                        reorder(re, im)
                        butterflies(re, im, cosines.baseAddress!, sines.baseAddress!, sign)
                    }
                }
            }
        }
    }

    private func reorder(_ re: UnsafeMutablePointer<Double>, _ im: UnsafeMutablePointer<Double>) {
        var mirrored = 0
        var index = 1
        while index < size {
            var bit = size >> 1
            while mirrored & bit != 0 {
                mirrored ^= bit
                bit >>= 1
            }
            mirrored |= bit
            if index < mirrored {
                let (a, b) = (re[index], im[index])
                re[index] = re[mirrored]
                im[index] = im[mirrored]
                re[mirrored] = a
                im[mirrored] = b
            }
            index += 1
        }
    }

    private func butterflies(
        _ re: UnsafeMutablePointer<Double>, _ im: UnsafeMutablePointer<Double>, _ cosines: UnsafePointer<Double>,
        _ sines: UnsafePointer<Double>, _ sign: Double
    ) {
        var half = 1
        while half < size {
            let stride = size / (2 * half)
            var start = 0
            while start < size {
                var k = 0
                while k < half {
                    let (c, s) = (cosines[k * stride], sign * sines[k * stride])
                    let (low, high) = (start + k, start + k + half)
                    let (x, y) = (re[high] * c - im[high] * s, re[high] * s + im[high] * c)
                    re[high] = re[low] - x
                    im[high] = im[low] - y
                    re[low] += x
                    im[low] += y
                    k += 1
                }
                start += 2 * half
            }
            half *= 2
        }
    }
}
