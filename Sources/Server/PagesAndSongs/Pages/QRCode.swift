import CQREncode

/// A QR code (ISO/IEC 18004), by libqrencode.
package struct QRCode: Sendable, Hashable {
    /// Modules on a side.
    package let width: Int
    /// Row by row, `true` is dark.
    package let modules: [Bool]

    /// What fits into a code that a phone still reads from a screen.
    package static let maximumBytes = 512

    /// Error correction level M, the usual choice for screens. `nil` if the text is empty or too long.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumBytes, !text.utf8.contains(0),
            let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let data = code.pointee.data else { return nil }
        self.width = width
        // The lowest bit of a module is its colour.
        self.modules = (0..<width * width).map { data[$0] & 1 == 1 }
    }

    private subscript(x: Int, y: Int) -> Bool {
        (0..<width).contains(x) && (0..<width).contains(y) && modules[y * width + x]
    }

    /// The margin that readers want around the code, in modules.
    private static let quiet = 4

    /// One path, dark on white whatever the page's theme, since readers want it so.
    package var svg: String {
        let side = width + 2 * Self.quiet
        var path = ""
        for y in 0..<width {
            var x = 0
            while x < width {
                guard self[x, y] else {
                    x += 1
                    continue
                }
                let start = x
                while self[x, y] { x += 1 }
                path += "M\(start + Self.quiet) \(y + Self.quiet)h\(x - start)v1h-\(x - start)z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
            """
    }

    /// For a terminal: two rows in a line by half blocks, light modules drawn, so that it reads on a dark background.
    package var terminal: String {
        let range = -2..<width + 2
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            range.map { x in
                switch (self[x, y], self[x, y + 1]) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }.joined()
        }.joined(separator: "\n")
    }
}
