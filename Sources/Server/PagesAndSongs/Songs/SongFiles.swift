import Texts

/// What may be stored as a song's file, told by its first bytes: names and stated types prove nothing.
enum SoundFormat: String, CaseIterable {
    case mp3
    case m4a
    case ogg
    case flac
    case wav

    /// What plays in every browser, with the codecs that do (see `SoundStream`, which reads the files).
    static let playable =
        "MP3, M4A with AAC or Opus, Ogg with Opus, Vorbis or FLAC, FLAC, WAV with up to 32 bits"

    /// So many bytes decide.
    static let mark = 12

    init?(firstBytes bytes: [UInt8]) {
        func at(_ offset: Int, _ text: StaticString) -> Bool {
            text.withUTF8Buffer { bytes.dropFirst(offset).starts(with: $0) }
        }
        // An MPEG audio frame of layer III: eleven bits of sync, version, layer 01, and no forbidden rate.
        let isFrame =
            bytes.count >= 3 && bytes[0] == 0xff && bytes[1] & 0xe6 == 0xe2 && bytes[2] & 0xf0 != 0xf0
            && bytes[2] & 0x0c != 0x0c
        if isFrame || at(0, "ID3") {
            self = .mp3
        } else if at(4, "ftyp") {
            self = .m4a
        } else if at(0, "OggS") {
            self = .ogg
        } else if at(0, "fLaC") {
            self = .flac
        } else if at(0, "RIFF"), at(8, "WAVE") {
            self = .wav
        } else {
            return nil
        }
    }

    var contentType: String {
        switch self {
        case .mp3: "audio/mpeg"
        case .m4a: "audio/mp4"
        case .ogg: "audio/ogg"
        case .flac: "audio/flac"
        case .wav: "audio/wav"
        }
    }
}

/// Words with their times.
enum LyricsFormat: String, CaseIterable {
    case lrc
    case vtt

    /// - Returns: `nil` for what is no UTF-8, holds control characters, or has no time at all.
    init?(_ bytes: [UInt8]) {
        guard StreamSafeText.holds(bytes), let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: {
                $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\r" && $0 != "\t"
            })
        else { return nil }
        let body = text.drop { $0 == "\u{feff}" }
        if body.hasPrefix("WEBVTT"), body.contains("-->") {
            self = .vtt
        } else if body.contains(/\[\d{1,3}:\d{2}/) {
            self = .lrc
        } else {
            return nil
        }
    }
}

/// The one range that a player asks for (RFC 9110 §14).
enum ByteRange: Equatable {
    case whole
    case part(ClosedRange<Int>)
    case unsatisfiable

    /// - Parameter header: several ranges, other units and nonsense give the whole file, as the RFC allows.
    init(header: String?, size: Int) {
        guard let header, header.hasPrefix("bytes="), let hyphen = header.firstIndex(of: "-") else {
            self = .whole
            return
        }
        let first = header[..<hyphen].dropFirst("bytes=".count)
        let last = header[header.index(after: hyphen)...]
        func number(_ text: Substring) -> Int? {
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        }
        if first.isEmpty, let suffix = number(last) {
            self = suffix == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - suffix)...(size - 1))
        } else if let from = number(first), last.isEmpty || number(last) != nil {
            let to = min(number(last) ?? Int.max, size - 1)
            if let stated = number(last), stated < from {
                self = .whole
            } else {
                self = from >= size ? .unsatisfiable : .part(from...to)
            }
        } else {
            self = .whole
        }
    }
}
