/// What of an upright picture is wanted, in parts of its sides, and how wide it is against its height.
package struct PicturePart: Hashable, Sendable {
    /// Of its width from the left, and of its height from the top: 0…1.
    package var left: Double
    package var top: Double
    package var width: Double
    package var height: Double
    /// Width by height of what comes out: from the middle of the part as much as has it.
    package var aspect: Double

    package init(left: Double, top: Double, width: Double, height: Double, aspect: Double) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
        self.aspect = aspect
    }

    /// In pixels of an upright picture, within it.
    func area(ofWidth width: Int, height: Int) -> PixelArea {
        let (columns, rows) = (Double(width), Double(height))
        var area = PixelArea(
            left: max(0, min(1, left)) * columns, top: max(0, min(1, top)) * rows, width: 0, height: 0)
        area.width = min(columns - area.left, max(0, self.width) * columns)
        area.height = min(rows - area.top, max(0, self.height) * rows)
        if area.width > area.height * aspect {
            area.left += (area.width - area.height * aspect) / 2
            area.width = area.height * aspect
        } else {
            area.top += (area.height - area.width / aspect) / 2
            area.height = area.width / aspect
        }
        return area
    }
}

extension PixelArea {
    /// The same part of the picture as it is stored.
    /// - Parameters: of the stored picture.
    func stored(_ turn: PictureTurn, width: Int, height: Int) -> PixelArea {
        var area = turn.swapsSides ? PixelArea(left: top, top: left, width: self.height, height: self.width) : self
        if turn.mirrorsColumns { area.left = Double(width) - area.left - area.width }
        if turn.mirrorsRows { area.top = Double(height) - area.top - area.height }
        return area
    }
}
