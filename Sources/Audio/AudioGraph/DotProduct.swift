/// Σ a[i]·b[i].
///
/// Eight sums beside each other: the compiler makes vectors of them without being allowed to reorder additions, and a
/// build without optimisation stays usable, which it does not with SIMD types.
func dotProduct(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
    var (s0, s1, s2, s3): (Float, Float, Float, Float) = (0, 0, 0, 0)
    var (s4, s5, s6, s7): (Float, Float, Float, Float) = (0, 0, 0, 0)
    let whole = count & ~7
    var i = 0
    while i < whole {
        s0 += a[i] * b[i]
        s1 += a[i &+ 1] * b[i &+ 1]
        s2 += a[i &+ 2] * b[i &+ 2]
        s3 += a[i &+ 3] * b[i &+ 3]
        s4 += a[i &+ 4] * b[i &+ 4]
        s5 += a[i &+ 5] * b[i &+ 5]
        s6 += a[i &+ 6] * b[i &+ 6]
        s7 += a[i &+ 7] * b[i &+ 7]
        i &+= 8
    }
    while i < count {
        s0 += a[i] * b[i]
        i &+= 1
    }
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))
}
