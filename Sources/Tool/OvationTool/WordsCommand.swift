import ArgumentParser
import Foundation
import ServerApp

/// `ovation words`: the file of words that no text may have.
struct WordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "words", abstract: "Try the words that stop messages, names and tags.",
        discussion: """
            A file has one word, or several together, on each line; # begins a remark. Capitals and the width of letters do not matter.
            Where words have spaces between them (English, Russian), a whole word is meant: "ass" does not stop "class". A * at an end lets
            the word go on there: "bull*" stops "bullish". Korean, Chinese, Japanese and Thai words are found inside others too.

            The server reads the file that moderation.words names, and again within seconds when it changes.
            """,
        subcommands: [Check.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read a file of words, and say which texts it stops.",
            discussion: """
                ovation words check words.txt "What somebody might write"

                Ends with status 1 if a text is stopped.
                """)

        @Argument(help: "The file of words.")
        var file: String
        @Argument(help: "Texts to try.")
        var texts: [String] = []

        func run() throws {
            let list: WordList
            do throws(WordList.Failure) { list = try WordList(path: file) } catch {
                FileHandle.standardError.write(Data("ovation: \(error)\n".utf8))
                throw ExitCode(78)
            }
            print("\(list.count) words")
            var isAnyStopped = false
            for text in texts {
                let word = list.stopped(in: text)
                isAnyStopped = isAnyStopped || word != nil
                print(word.map { "stopped by \"\($0)\": \(text)" } ?? "passes: \(text)")
            }
            if isAnyStopped { throw ExitCode(1) }
        }
    }
}
