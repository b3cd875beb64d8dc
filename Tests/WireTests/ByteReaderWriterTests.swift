import Testing
import Wire

@Suite struct ByteReaderWriterTests {
    @Test("What is written is read back, in network order")
    func roundTrip() {
        var bytes = [UInt8](repeating: 0xaa, count: 32)
        bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(buffer)
            writer.write(UInt8(0x01))
            writer.write(UInt16(0x0203))
            writer.writeUInt24(0x04_0506)
            writer.write(UInt32(0x0708_090a))
            writer.write(UInt64(0x0b0c_0d0e_0f10_1112))
            [UInt8](0x13...0x15).withUnsafeBytes { writer.write(bytes: $0) }
            writer.writeZeros(2)
            #expect(writer.count == 23)
            #expect(!writer.overflowed)
        }
        let written: [UInt8] = Array(0x01...0x15) + [0, 0]
        #expect(Array(bytes.prefix(23)) == written)
        #expect(bytes[23] == 0xaa)
        bytes.withUnsafeBytes { buffer in
            var reader = ByteReader(buffer)
            #expect(reader.readUInt8() == 0x01)
            #expect(reader.readUInt16() == 0x0203)
            #expect(reader.readUInt24() == 0x04_0506)
            #expect(reader.readUInt32() == 0x0708_090a)
            #expect(reader.readUInt64() == 0x0b0c_0d0e_0f10_1112)
            #expect(reader.readBytes(3).map { Array($0) } == [0x13, 0x14, 0x15])
            #expect(reader.skip(2) == true)
            #expect(reader.remaining == 9)
        }
    }

    @Test("Reading past the end is nil and does not move", arguments: 0...9)
    func readingPastTheEnd(length: Int) {
        [UInt8](repeating: 1, count: length).withUnsafeBytes { buffer in
            func check(_ width: Int, _ read: (inout ByteReader) -> Bool) {
                var reader = ByteReader(buffer)
                #expect(read(&reader) == (length >= width))
                #expect(reader.position == (length >= width ? width : 0))
            }
            check(1) { $0.readUInt8() != nil }
            check(2) { $0.readUInt16() != nil }
            check(3) { $0.readUInt24() != nil }
            check(4) { $0.readUInt32() != nil }
            check(8) { $0.readUInt64() != nil }
            check(5) { $0.readBytes(5) != nil }
            check(6) { $0.skip(6) }
            var reader = ByteReader(buffer)
            #expect(reader.readBytes(-1) == nil)
            #expect(reader.skip(-1) == false)
            #expect(reader.readBytes(.max) == nil)
        }
    }

    @Test("A field that does not fit is not written, and the overflow is remembered")
    func overflow() {
        var bytes = [UInt8](repeating: 0xaa, count: 5)
        bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(buffer)
            writer.write(UInt32(1))
            writer.write(UInt16(2))
            #expect(writer.overflowed)
            #expect(writer.count == 4)
            // It would fit, but the packet is spoilt already.
            writer.write(UInt8(3))
            #expect(writer.count == 4)
            writer.overwrite(at: 3, with: 0xffff)
            writer.overwrite(at: 0, with: 0x0901)
        }
        #expect(bytes == [9, 1, 0, 1, 0xaa])
    }
}
