import Foundation

/// The beginning of a JPEG as the standard wants it, without a picture that could be drawn: what the server looks at.
package enum TestJPEG {
    /// - Parameters:
    ///   - frame: the marker of the frame; 0xC0 is baseline.
    ///   - extra: whole segments before it, and `size` bytes in all.
    package static func bytes(
        width: Int = 320, height: Int = 180, frame: UInt8 = 0xC0, extra: [UInt8] = [], size: Int = 0
    ) -> [UInt8] {
        let jfif: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
        let dimensions = [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) }
        let stated: [UInt8] = [0xFF, frame, 0, 11, 8] + dimensions + [1, 1, 0x11, 0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        let head = [0xFF, 0xD8] + jfif + extra + stated + scan
        return head + Array(repeating: 0x55, count: max(0, size - head.count - 2)) + [0xFF, 0xD9]
    }

    /// Whole pictures of 48 by 27 pixels, by how they are written: red grows to the right, green downwards, and blue leaps in the middle.
    package static func whole(_ kind: String) -> [UInt8] { Array(Data(base64Encoded: texts[kind] ?? "") ?? Data()) }

    package static var kinds: [String] { texts.keys.sorted() }

    private static let texts: [String: String] = [
        "baseline": """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO\
        UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P\
        T09PT09PT0//wAARCAAbADADASIAAhEBAxEB/8QAGQABAQADAQAAAAAAAAAAAAAABAUAAgMG/8QAGBAAAwEBAAAAAAAAAAAAAAAA\
        AAIEYVH/xAAXAQEBAQEAAAAAAAAAAAAAAAAFBgQH/8QAHREAAgICAwEAAAAAAAAAAAAAAAQBAwIFIoHBMv/aAAwDAQACEQMRAD8A\
        8ckuCElwqJLghJMKfJgwUNktJcNElwvpJhokuAG3Y+O/BxVslpLghJcKiS4ISXADJgdobMSTDukuDkVeCEVeFFldJyKhiQSSYc0k\
        wsoq8NEVeAG3unh34OqsSBSXBCSYORV4IRV4AZXSOUMSf//Z
        """,
        "colour for each pixel": """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO\
        UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P\
        T09PT09PT0//wAARCAAbADADAREAAhEBAxEB/8QAGQABAAIDAAAAAAAAAAAAAAAABAIDAAEG/8QAGBAAAwEBAAAAAAAAAAAAAAAA\
        AAIEYVH/xAAYAQEBAQEBAAAAAAAAAAAAAAAEAwYFB//EABcRAQEBAQAAAAAAAAAAAAAAAAMAAQL/2gAMAwEAAhEDEQA/AOOSXDY6\
        kPhZCS4T1JhrISXCepNNaCS4Y3UuoayElwnqTDWQkuEtSYa2klw2mpeT8LISTCepMNZCSYT1JprQSXDG6l1DWQkuE9SYayElwlqT\
        TWxJMNpqXk3C16S4T1JprJSTCepMNatJMMbqXUNZCS4T1JhrISTCepNNahFXht93byvjdkIq8J7uzD3ZCKvCW7s092girwx27t0z\
        3ZCKvCW7s092Qirwnu7MPdv/2Q==
        """,
        "colour for every two": """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO\
        UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P\
        T09PT09PT0//wAARCAAbADADASEAAhEBAxEB/8QAGQABAAIDAAAAAAAAAAAAAAAABAIDAAEG/8QAGBAAAwEBAAAAAAAAAAAAAAAA\
        AAIEYVH/xAAXAQEBAQEAAAAAAAAAAAAAAAAFBgcD/8QAHREAAgICAwEAAAAAAAAAAAAAAAMBAgQFMoHBIv/aAAwDAQACEQMRAD8A\
        45JcEJLhX2YcUNEJLhBJcANuzh34O4rRCS4ISXCfswcQ00kuCEkwsLMMzQ0QkmEElwA27OHfg7itEJLghJcALMHENMSTC9JcK+zD\
        NENEpJhWkmAG3Zw78HMVohJcEJJgBZg6hpQirwQirws7TJm6JkQirwgirwn9vM/Hfg7izIhFXghFXgBaZHETJ//Z
        """,
        "progressive": """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO\
        UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P\
        T09PT09PT0//wgARCAAbADADASIAAhEBAxEB/8QAGQABAQADAQAAAAAAAAAAAAAAAwQAAQIF/8QAFgEBAQEAAAAAAAAAAAAAAAAA\
        BAUG/9oADAMBAAIQAxAAAAHxkqSmeXV+gOlSpJ787dKOQHmzQHgjpPd//8QAFhABAQEAAAAAAAAAAAAAAAAAEgAg/9oACAEBAAEF\
        AjGMYxjGMYxjGMYx3//EABYRAQEBAAAAAAAAAAAAAAAAAAMAAv/aAAgBAwEBPwHCxLYWwkSWEv/EABkRAAIDAQAAAAAAAAAAAAAA\
        AAABAgMEMf/aAAgBAgEBPwF2Guzg7BzNc+Dmf//EABQQAQAAAAAAAAAAAAAAAAAAAED/2gAIAQEABj8CR//EABUQAQEAAAAAAAAA\
        AAAAAAAAAAEA/9oACAEBAAE/ISlKUpSlKUpSlKUpQICAgICAv//aAAwDAQACAAMAAAAQ/pCfIC//xAAWEQEBAQAAAAAAAAAAAAAA\
        AAAAARD/2gAIAQMBAT8Q3eyiz//EABkRAAIDAQAAAAAAAAAAAAAAAAABEKHBsf/aAAgBAgEBPxAO3IGDr4MP/8QAFhABAQEAAAAA\
        AAAAAAAAAAAAAGFR/9oACAEBAAE/EJJJJJJJJppJJJpJppJsjIyMjIyP/9k=
        """,
        "grey": """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO\
        UlNSMj5aYVpQYEpRUk//wAALCAAbADABAREA/8QAGQABAAIDAAAAAAAAAAAAAAAABAIDAAEG/8QAGBAAAwEBAAAAAAAAAAAAAAAA\
        AAIEYVH/2gAIAQEAAD8A45JcEJLghJcIJLghJcEJLhpJcEJJghJMIJLghJcEJLhiSYXpLglJMK0kwQkuCEkwoRV4IRV4IRV4QRV4\
        IRV4IRV4f//Z
        """,
        "the three colours themselves": """
        /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2RjcsLUBXQUZMTlJT\
        UjI+WmFaUGBKUVJP/8AAEQgAGwAwA1IRAEcRAEIRAP/EABgAAQEBAQEAAAAAAAAAAAAAAAAFBwYI/8QAHBABAAICAwEAAAAAAAAA\
        AAAAAARBFWIBAhNS/9oADANSAEcAQgAAPwDPIlOFxurrFqJRjdRbiUY3UW4lGN1Y6tRKMbqLcSjG6jz1Ep2GN1bEtRKMbqLcSjG6\
        i3EoxurHVqJRjdRbiUY3UeeolOxxurYlqJRjdRbiUY3UW4lGN1Y6tRKMbqLcSjG6jz1Ep0vn0+eGxLUSjz6fPAtxKPPp88C3Eo8+\
        nzwx1aiUefT54FuJR59Pngf/2Q==
        """,
    ]

    /// A JPEG with a segment put in front of its last marker, behind all scans, and bytes behind its end.
    package static func with(_ segment: [UInt8] = [], behind: [UInt8] = [], in jpeg: [UInt8]) -> [UInt8] {
        Array(jpeg.dropLast(2)) + segment + [0xFF, 0xD9] + behind
    }

    /// An Exif segment with a place in it.
    package static let exif: [UInt8] = [0xFF, 0xE1, 0, 27] + Array("Exif\0\0GPS 52.5163 13.3777".utf8)
}
