/// What stands in a page's head for those who unfold its link: messengers and search engines (OpenGraph).
struct PageCard: Sendable, Hashable {
    var title: String
    var description: String
    /// Absolute.
    var url: String?
    var image: Picture?

    struct Picture: Sendable, Hashable {
        /// Absolute, `http:` or `https:`.
        var address: String
        /// 1200 × 630: messengers then show it large before they have read it.
        var isOfOurSize = true
    }

    var html: String {
        var tags = [
            tag("og:type", "website"), tag("og:site_name", "Ovation"), tag("og:title", title),
            tag("og:description", description),
        ]
        if let url { tags.append(tag("og:url", url)) }
        if let image {
            tags.append(tag("og:image", image.address))
            tags.append("<meta name=\"twitter:card\" content=\"summary_large_image\">")
            if image.isOfOurSize { tags += [tag("og:image:width", "1200"), tag("og:image:height", "630")] }
        }
        return tags.joined(separator: "\n    ")
    }

    private func tag(_ property: String, _ content: String) -> String {
        "<meta property=\"\(property)\" content=\"\(HTMLText.escape(content))\">"
    }
}

enum HTMLText {
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// An HTML file as it is served: `@build` in asset paths, the card at `<!--meta-->`, and what is to be loaded ahead.
    static func page(_ source: String, build: String, card: PageCard?, announced: String = "") -> String {
        source.replacing("/assets/@build/", with: "/assets/\(build)/")
            .replacing(AnnouncedModules.place, with: announced)
            .replacing("<!--meta-->", with: card?.html ?? "")
    }
}
