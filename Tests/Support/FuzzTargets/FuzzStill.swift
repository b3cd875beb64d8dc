import RoomModel

/// Stills for the list: any bytes are refused, or are what they were and within the bounds.
package func fuzzStill(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(RoomError) {
        let still = try StillPicture(jpeg: bytes)
        precondition(still.jpeg == bytes && bytes.count <= StillPicture.byteLimit)
    } catch {
        precondition(error.code == .invalidParams && error.field == "picture")
    }
    return 0
}
