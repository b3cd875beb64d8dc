import Foundation
import Testing

@testable import ServerApp

@Suite struct HostResourcesTests {
    @Test(
        "a process is told how many processors it may use, which may be fewer than the machine has",
        arguments: [
            ("Name:\tovation\nCpus_allowed:\t1\nCpus_allowed_list:\t0\n", 1), ("Cpus_allowed:\t3\n", 2),
            ("Cpus_allowed:\tff,ffffffff\n", 40), ("Cpus_allowed:\t00000000,00000a00\n", 2),
            ("Cpus_allowed:\t0\n", nil),
            ("Cpus_allowed_list:\t0-3\n", nil), ("", nil),
        ] as [(String, Int?)])
    func processors(status: String, count: Int?) { #expect(HostResources.allowedProcessors(status) == count) }
}
