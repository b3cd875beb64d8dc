import CSRTP2
import RTP
import SeededRandom
import Testing

@testable import SRTP

/// Both ways against libsrtp2, which is not ours.
@Suite struct LibSRTPTests {
    /// A libsrtp2 session for one direction.
    private final class Session {
        private static let isReady = srtp_init() == srtp_err_status_ok
        private var session: srtp_t?
        private let key: UnsafeMutablePointer<UInt8>

        init(_ link: Link, sends: Bool) throws {
            #expect(Session.isReady)
            let material = link.master.key + link.master.salt
            key = .allocate(capacity: material.count)
            key.initialize(from: material, count: material.count)
            var policy = srtp_policy_t()
            switch link.profile {
            case .aeadAES128GCM:
                srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
                srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
            case .aes128CMHMACSHA1_80:
                srtp_crypto_policy_set_rtp_default(&policy.rtp)
                srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
            }
            policy.ssrc.type = sends ? ssrc_any_outbound : ssrc_any_inbound
            policy.key = key
            policy.window_size = 1024
            try #require(srtp_create(&session, &policy) == srtp_err_status_ok)
        }

        deinit {
            srtp_dealloc(session)
            key.deallocate()
        }

        typealias Work = (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> srtp_err_status_t

        /// nil if libsrtp2 refuses.
        func run(_ work: Work, _ packet: [UInt8]) -> [UInt8]? {
            var buffer = packet + [UInt8](repeating: 0, count: 64)
            var length = Int32(packet.count)
            let status = buffer.withUnsafeMutableBytes { work(session, $0.baseAddress, &length) }
            return status == srtp_err_status_ok ? Array(buffer[..<Int(length)]) : nil
        }
    }

    @Test("Packets sealed by either side are the same bytes, and open on the other", arguments: SRTPProfile.allCases)
    func media(profile: SRTPProfile) throws {
        var random = SeededGenerator(seed: 7)
        let link = Link(profile, seed: 3)
        let protecting = try Session(link, sends: true)
        let unprotecting = try Session(link, sends: false)
        // Over two rollovers, in steps, with a few sources.
        for step in 0..<600 {
            let index = UInt64(step) * 300 + 60_000
            for ssrc: UInt32 in [1, 0xffff_ffff] {
                let packet = mediaPacket(
                    index, ssrc: ssrc, payload: .random(in: 0...1_200, using: &random),
                    sources: .random(in: 0...15, using: &random), hasExtension: .random(using: &random))
                let ours = try #require(link.seal(packet))
                #expect(protecting.run(srtp_protect, packet) == ours, "step \(step)")
                #expect(unprotecting.run(srtp_unprotect, ours) == packet, "step \(step)")
                #expect(link.open(ours).packet == packet, "step \(step)")
            }
        }
    }

    @Test("RTCP sealed by either side opens on the other", arguments: SRTPProfile.allCases)
    func control(profile: SRTPProfile) throws {
        let link = Link(profile, seed: 4)
        let protecting = try Session(link, sends: true)
        let unprotecting = try Session(link, sends: false)
        for step in 0..<100 {
            let packet = controlPacket(ssrc: UInt32(step % 3), words: step % 20)
            let theirs = try #require(protecting.run(srtp_protect_rtcp, packet))
            let opened = link.openControl(theirs)
            #expect(opened.packet == packet, "step \(step)")
            let ours = try #require(link.sealControl(packet))
            #expect(unprotecting.run(srtp_unprotect_rtcp, ours) == packet, "step \(step)")
            #expect(unprotecting.run(srtp_unprotect_rtcp, ours) == nil, "libsrtp2 takes it for a replay")
        }
    }
}
