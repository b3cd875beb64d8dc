extension SessionDescription {
    /// Reads a session description. Lines and attributes that we do not know are skipped; known ones that make no
    /// sense are errors where something hangs on them (`m=`, codecs, ports) and skipped where nothing does.
    package init(parsing text: String) throws(SDPError) {
        guard text.utf8.count <= SDPLimits.bytes else {
            throw SDPError(.tooLarge, "the description has more than \(SDPLimits.bytes) bytes")
        }
        var parser = SDPParser()
        // RFC 8866 §5: lines end with CRLF, but a lone LF is to be accepted.
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            try parser.read(Substring(line))
        }
        self = try parser.finish()
    }
}

/// Takes a description line by line.
struct SDPParser {
    private var session = SessionDescription(sessionID: 0, version: 0)
    /// The section that is being read; nil before the first.
    private var current: MediaSection?
    private var groups = 0
    private var lineNumber = 0
    /// Parameters and feedback of the section's payload types. Firefox writes them before the codecs.
    private var parameters: [UInt8: String] = [:]
    private var feedback: [UInt8: [String]] = [:]
    /// Feedback for all payload types of the section ("*").
    private var commonFeedback: [String] = []
    /// RFC 8866 §6.7: `a=sendonly` and the like before the first section hold for all that say nothing.
    private var sessionDirection: MediaSection.Direction?

    mutating func read(_ line: Substring) throws(SDPError) {
        lineNumber += 1
        guard line.utf8.count <= SDPLimits.lineBytes else {
            throw SDPError(.tooLarge, "line \(lineNumber) has more than \(SDPLimits.lineBytes) bytes")
        }
        guard line.utf8.dropFirst().first == UInt8(ascii: "="), let type = line.utf8.first else {
            throw malformed("is not of the form x=…")
        }
        if lineNumber == 1, line != "v=0" { throw malformed("should be v=0") }
        let value = line[line.utf8.index(line.startIndex, offsetBy: 2)...]
        switch type {
        case UInt8(ascii: "o"): try readOrigin(value)
        case UInt8(ascii: "m"): try readMedia(value)
        case UInt8(ascii: "a"): try readAttribute(value)
        default: break
        }
    }

    mutating func finish() throws(SDPError) -> SessionDescription {
        guard lineNumber > 0 else { throw SDPError(.malformed, "the description is empty") }
        finishSection()
        return session
    }

    private func malformed(_ what: String) -> SDPError { SDPError(.malformed, "line \(lineNumber) \(what)") }

    private func tooMany(_ what: String) -> SDPError {
        SDPError(.tooLarge, "line \(lineNumber): too many \(what)")
    }

    /// `o=<user> <session id> <version> IN IP4 <address>`
    private mutating func readOrigin(_ value: Substring) throws(SDPError) {
        let fields = value.split(separator: " " as Character)
        guard fields.count == 6, let id = UInt64(fields[1]), let version = UInt64(fields[2]) else {
            throw malformed("is no origin")
        }
        session.sessionID = id
        session.version = version
    }

    /// `m=<kind> <port>[/<n>] <profile> <format>…`
    private mutating func readMedia(_ value: Substring) throws(SDPError) {
        finishSection()
        guard session.media.count < SDPLimits.sections else { throw tooMany("media sections") }
        let fields = value.split(separator: " " as Character)
        guard fields.count >= 4, let port = UInt16(fields[1]) else { throw malformed("is no media line") }
        guard fields.count - 3 <= SDPLimits.codecs else { throw tooMany("formats") }
        var section = MediaSection(
            kind: String(fields[0]), port: port, profile: String(fields[2]), formats: fields[3...].map { String($0) })
        if let sessionDirection { section.direction = sessionDirection }
        current = section
    }

    /// Puts codecs into the order of the `m=` line, drops those that it does not list, and adds what was said of them.
    private mutating func finishSection() {
        defer { (parameters, feedback, commonFeedback) = ([:], [:], []) }
        guard var section = current else { return }
        var codecs: [Codec] = []
        for format in section.formats {
            guard let payloadType = UInt8(format),
                var codec = section.codecs.first(where: { $0.payloadType == payloadType })
            else { continue }
            codec.parameters = parameters[payloadType]
            codec.feedback = feedback[payloadType, default: []] + commonFeedback
            codecs.append(codec)
        }
        section.codecs = codecs
        session.media.append(section)
    }

    // MARK: Attributes

    private mutating func readAttribute(_ attribute: Substring) throws(SDPError) {
        let (name, value) = attribute.cut(at: ":")
        guard var section = current else {
            try readSessionAttribute(name, value)
            return
        }
        // Held once only while it changes, so that its arrays are not copied for each line.
        current = nil
        if try !readTransportAttribute(name, value, of: &section.transport) {
            try readMediaAttribute(name, value, of: &section)
        }
        current = section
    }

    private mutating func readSessionAttribute(_ name: Substring, _ value: Substring) throws(SDPError) {
        switch name {
        case "group":
            groups += 1
            guard groups <= SDPLimits.groups else { throw tooMany("groups") }
            let fields = value.split(separator: " " as Character)
            guard fields.first == "BUNDLE", session.bundle == nil else { return }
            guard fields.count - 1 <= SDPLimits.sections else { throw tooMany("mids") }
            session.bundle = fields.dropFirst().map { String($0) }
        case "ice-lite":
            session.isICELite = true
        default:
            if let direction = MediaSection.Direction(rawValue: String(name)) {
                sessionDirection = direction
            } else {
                var transport = session.transport
                _ = try readTransportAttribute(name, value, of: &transport)
                session.transport = transport
            }
        }
    }

    private func readTransportAttribute(
        _ name: Substring, _ value: Substring, of transport: inout TransportDescription
    ) throws(SDPError) -> Bool {
        switch name {
        case "ice-ufrag":
            guard value.isICEText(4...256) else { throw malformed("has no ice-ufrag of 4 to 256 ice-chars") }
            transport.ufrag = String(value)
        case "ice-pwd":
            guard value.isICEText(22...256) else { throw malformed("has no ice-pwd of 22 to 256 ice-chars") }
            transport.password = String(value)
        case "ice-options":
            transport.iceOptions = value.split(separator: " " as Character).map { String($0) }
        case "fingerprint":
            guard transport.fingerprints.count < SDPLimits.fingerprints else { throw tooMany("fingerprints") }
            transport.fingerprints.append(String(value))
        case "setup":
            guard let setup = TransportDescription.Setup(rawValue: String(value)) else {
                throw malformed("has an unknown setup")
            }
            transport.setup = setup
        case "candidate":
            guard transport.candidates.count < SDPLimits.candidates else { throw tooMany("candidates") }
            // Candidates of kinds that come later are to be ignored (RFC 8839 §5.1).
            if let candidate = ICECandidate(sdpValue: String(value)) { transport.candidates.append(candidate) }
        case "end-of-candidates":
            transport.isEndOfCandidates = true
        default:
            return false
        }
        return true
    }

    private mutating func readMediaAttribute(
        _ name: Substring, _ value: Substring, of section: inout MediaSection
    ) throws(SDPError) {
        switch name {
        case "mid": section.mid = String(value)
        case "rtcp-mux": section.hasRTCPMux = true
        case "rtcp-rsize": section.hasReducedSizeRTCP = true
        case "bundle-only": section.isBundleOnly = true
        case "rtpmap": try readCodec(value, of: &section)
        case "fmtp":
            let (format, text) = value.cut(at: " ")
            if let payloadType = UInt8(format), payloadType < 128 { parameters[payloadType] = String(text) }
        case "rtcp-fb": try readFeedback(value)
        case "extmap":
            guard section.extensions.count < SDPLimits.extensions else { throw tooMany("header extensions") }
            // "<id>[/<direction>] <uri> [<attributes>]"
            let fields = value.split(separator: " " as Character)
            guard fields.count >= 2 else { return }
            let (number, direction) = fields[0].cut(at: "/")
            guard let id = UInt8(number) else { return }
            section.extensions.append(
                ExtensionMapping(
                    id: id, uri: String(fields[1]), direction: MediaSection.Direction(rawValue: String(direction))))
        case "ssrc": try readSource(value, of: &section)
        case "ssrc-group":
            let fields = value.split(separator: " " as Character)
            guard fields.count == 3, fields[0] == "FID", let ssrc = UInt32(fields[1]), let repeats = UInt32(fields[2])
            else { return }
            guard section.repeatGroups.count < SDPLimits.repeatGroups else { throw tooMany("source groups") }
            section.repeatGroups.append(RepeatGroup(ssrc: ssrc, repeats: repeats))
        case "rid":
            // "<id> send|recv [<restrictions>]"
            let fields = value.split(separator: " " as Character)
            guard fields.count >= 2, fields[1] == "send" || fields[1] == "recv" else { return }
            guard section.layers.count < SDPLimits.layers else { throw tooMany("layers") }
            section.layers.append(LayerName(name: String(fields[0]), isSent: fields[1] == "send"))
        case "simulcast": section.simulcast = String(value)
        case "msid":
            guard section.stream == nil else { return }
            let fields = value.split(separator: " " as Character)
            guard let stream = fields.first else { return }
            section.stream = StreamIdentification(
                stream: String(stream), track: fields.count > 1 ? String(fields[1]) : nil)
        default:
            if let direction = MediaSection.Direction(rawValue: String(name)) { section.direction = direction }
        }
    }

    /// `a=rtpmap:<payload type> <name>/<clock rate>[/<channels>]`
    private func readCodec(_ value: Substring, of section: inout MediaSection) throws(SDPError) {
        guard section.codecs.count < SDPLimits.codecs else { throw tooMany("codecs") }
        let (format, encoding) = value.cut(at: " ")
        let parts = encoding.split(separator: "/" as Character)
        guard let payloadType = UInt8(format), payloadType < 128, parts.count >= 2, let rate = UInt32(parts[1])
        else { throw malformed("is no rtpmap") }
        var channels: UInt8 = 1
        if parts.count > 2 {
            guard let number = UInt8(parts[2]) else { throw malformed("has no number of channels") }
            channels = number
        }
        guard !section.codecs.contains(where: { $0.payloadType == payloadType }) else {
            throw malformed("defines a payload type again")
        }
        section.codecs.append(
            Codec(payloadType: payloadType, name: String(parts[0]), clockRate: rate, channels: channels))
    }

    private mutating func readFeedback(_ value: Substring) throws(SDPError) {
        let (format, kind) = value.cut(at: " ")
        if format == "*" {
            guard commonFeedback.count < SDPLimits.feedbackPerCodec else { throw tooMany("feedback kinds") }
            commonFeedback.append(String(kind))
        } else if let payloadType = UInt8(format), payloadType < 128 {
            guard feedback[payloadType, default: []].count < SDPLimits.feedbackPerCodec else {
                throw tooMany("feedback kinds")
            }
            feedback[payloadType, default: []].append(String(kind))
        }
    }

    /// `a=ssrc:<ssrc> <attribute>[:<value>]`; of the attributes only `cname` matters.
    private func readSource(_ value: Substring, of section: inout MediaSection) throws(SDPError) {
        let (number, attribute) = value.cut(at: " ")
        guard let ssrc = UInt32(number) else { return }
        let (name, text) = attribute.cut(at: ":")
        let cname = name == "cname" ? String(text) : nil
        if let index = section.sources.firstIndex(where: { $0.ssrc == ssrc }) {
            if let cname { section.sources[index].cname = cname }
            return
        }
        guard section.sources.count < SDPLimits.sources else { throw tooMany("sources") }
        section.sources.append(MediaSource(ssrc: ssrc, cname: cname))
    }
}

extension Substring {
    /// What stands before and after the first `separator`; all and nothing if there is none.
    fileprivate func cut(at separator: Unicode.Scalar) -> (head: Substring, tail: Substring) {
        guard let index = unicodeScalars.firstIndex(of: separator) else { return (self, "") }
        return (self[..<index], self[unicodeScalars.index(after: index)...])
    }

    /// RFC 8839 §5.4: letters, digits, "+" and "/".
    fileprivate func isICEText(_ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(utf8.count)
            && utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
