extension SessionDescription {
    /// The description as it goes over the wire, each line ended by CRLF.
    package var text: String {
        var lines = [
            "v=0", "o=- \(sessionID) \(version) IN IP4 127.0.0.1", "s=-", "t=0 0",
        ]
        if let bundle { lines.append((["a=group:BUNDLE"] + bundle).joined(separator: " ")) }
        if isICELite { lines.append("a=ice-lite") }
        lines += transport.lines
        for section in media { lines += section.lines }
        return lines.reduce(into: "") { text, line in
            // A value with a line break inside would smuggle lines in.
            text += line.unicodeScalars.contains { $0 == "\r" || $0 == "\n" } ? "" : line + "\r\n"
        }
    }
}

extension TransportDescription {
    fileprivate var lines: [String] {
        var lines: [String] = []
        if let ufrag { lines.append("a=ice-ufrag:\(ufrag)") }
        if let password { lines.append("a=ice-pwd:\(password)") }
        if !iceOptions.isEmpty { lines.append("a=ice-options:\(iceOptions.joined(separator: " "))") }
        lines += fingerprints.map { "a=fingerprint:\($0)" }
        if let setup { lines.append("a=setup:\(setup.rawValue)") }
        lines += candidates.map { "a=candidate:\($0.sdpValue)" }
        if isEndOfCandidates { lines.append("a=end-of-candidates") }
        return lines
    }
}

extension MediaSection {
    fileprivate var lines: [String] {
        var lines = ["m=\(kind) \(port) \(profile) \(formats.joined(separator: " "))", "c=IN IP4 0.0.0.0"]
        if let mid { lines.append("a=mid:\(mid)") }
        if isBundleOnly { lines.append("a=bundle-only") }
        lines += transport.lines
        lines.append("a=\(direction.rawValue)")
        if let stream {
            lines.append("a=msid:\(stream.stream)" + (stream.track.map { " \($0)" } ?? ""))
        }
        if hasRTCPMux { lines.append("a=rtcp-mux") }
        if hasReducedSizeRTCP { lines.append("a=rtcp-rsize") }
        lines += extensions.map { "a=extmap:\($0.id)\($0.direction.map { "/\($0.rawValue)" } ?? "") \($0.uri)" }
        for codec in codecs {
            let channels = codec.channels == 1 ? "" : "/\(codec.channels)"
            lines.append("a=rtpmap:\(codec.payloadType) \(codec.name)/\(codec.clockRate)\(channels)")
            lines += codec.feedback.map { "a=rtcp-fb:\(codec.payloadType) \($0)" }
            if let parameters = codec.parameters { lines.append("a=fmtp:\(codec.payloadType) \(parameters)") }
        }
        lines += layers.map { "a=rid:\($0.name) \($0.isSent ? "send" : "recv")" }
        if let simulcast { lines.append("a=simulcast:\(simulcast)") }
        lines += repeatGroups.map { "a=ssrc-group:FID \($0.ssrc) \($0.repeats)" }
        for source in sources {
            // RFC 5576 §4.1: an ssrc line carries an attribute, and §6.1 wants a cname with every source.
            lines.append("a=ssrc:\(source.ssrc) cname:\(source.cname ?? "-")")
        }
        return lines
    }
}
