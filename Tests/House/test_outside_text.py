"""Text from outside is judged as bytes before anything is made of it (decision 0037): where it comes in, and where it becomes the key of
a table, whose hash would otherwise cost the square of a run of combining marks."""

import pathlib
import re

from doors import DOORS

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["Server", "Rooms", "Model", "Protocol", "Media"]

# What turns bytes from outside into text or values.
READING = re.compile(
    r"\.collect\(upTo|JSONDecoder\(\)|JSONSerialization\.jsonObject|String\(validating|removingPercentEncoding|String\(decoding"
    r"|HTTP2Frame\.FramePayload")
# file: what was judged before, and the doors by which its work is counted (`Tests/EndToEnd/doors.py`).
READERS = {
    "Model/RoomModel/WebAddress.swift": ("the scheme, ASCII by the check before", ["frame: a link"]),
    "Server/OperatorAPI/Compatible/ChatHandler.swift": ("Request.text", ["body: a compatible message"]),
    "Server/OperatorAPI/Compatible/RoomAPICall.swift": ("Request.text, in RoomAPIHandler", ["body: a compatible action"]),
    "Server/PagesAndSongs/Tickets/TicketHandler.swift": ("Request.text", ["body: a guest's name"]),
    "Server/PagesAndSongs/Pages/PageHandler.swift": ("the request's head; our own pages", ["head: a header", "head: a page"]),
    "Server/HTTP/Requests/RequestText.swift": ("Request.text itself", [
        "head: a header with parameters", "body: a room's name", "body: words to filter"]),
    "Server/HTTP/Requests/StreamRules.swift": ("HeaderBlock, byte by byte; StreamSafeText", [
        "stream: a method", "stream: a field's name", "stream: a field's value", "stream: lengths that differ",
        "stream: codings that a client takes"]),
    "Server/WHIP/HTTPMediaHandler.swift": ("Request.text", ["body: an offer"]),
    "Server/OperatorAPI/REST/RESTParameters.swift": ("Request.text, in RESTHandler; the request's head", [
        "body: a member nobody knows", "head: a query", "head: a cursor", "head: an id", "head: an idempotency key"]),
    "Server/Signalling/Sessions/CallDispatcher.swift": ("StreamSafeText", [
        "frame: a message", "frame: a message where links are refused", "frame: a room's name", "frame: a search", "frame: a cursor", "frame: an attribute's name", "frame: lines of an offer",
        "frame: an offer", "frame: a member nobody knows", "frame: before signing in"]),
    "Server/PagesAndSongs/Songs/SongFiles.swift": ("StreamSafeText", ["form: the words of a song"]),
    "Server/PagesAndSongs/Songs/SongUpload.swift": ("StreamSafeText", ["form: a field"]),
    "Server/Webhooks/MessageReviewer.swift": ("StreamSafeText, in WebhookClient", ["answer: a reviewed message", "answer: a member nobody knows"]),
    "Server/Webhooks/WebhookClient.swift": ("StreamSafeText", ["answer: a header"]),
    "Protocol/HTTPGrammar/FormParser.swift": ("StreamSafeText", ["form: a file's name"]),
    "Protocol/HTTPGrammar/HeaderParameters.swift": ("a judged head; StreamSafeText where it has escapes of its own", [
        "form: a file's name with escapes"]),
    "Protocol/SignalProtocol/Call.swift": ("StreamSafeText, in CallDispatcher", ["frame: a message"]),
    "Protocol/SignalProtocol/CallOutline.swift": ("ASCII, and short", ["frame: a method"]),
    "Protocol/SignalProtocol/PlainParameters.swift": ("Request.text, in RESTHandler", ["body: a room's name"]),
    "Protocol/SignalProtocol/RoomSlug.swift": ("the request's head", ["head: a room's link"]),
    "Protocol/Texts/JSONEscapes.swift": ("what a judged text holds, for a reader that hashes nothing", ["frame: an app's message"]),
    "Protocol/UserSig/TicketText.swift": ("StreamSafeText", ["a ticket"]),
}
# file: why what it reads is nobody's from outside, or too short to cost anything.
INSIDE = {
    "Media/DTLS/CertificateFingerprint.swift": "our own hexadecimal digits",
    "Media/RTP/Identifiers.swift": "16 bytes at most, for a log",
    "Model/RoomModel/PictureText.swift": "a picture that is written, in letters of our own",
    "Protocol/SignalProtocol/ServerMessage.swift": "the server's, in a client",
    "Protocol/UserSig/PrivateMapKey.swift": "64 bytes at most, and signed",
    "Rooms/RoomService/Moderation/AuditDetail.swift": "our own JSON",
    "Rooms/RoomService/Gifts/GiftDetail.swift": "the store's",
    "Rooms/RoomService/Turn/JournalFormat.swift": "the store's",
    "Server/OperatorAPI/Compatible/ChatMessages.swift": "our own JSON",
    "Server/OperatorAPI/OperatorRestrictions.swift": "our own JSON",
    "Server/OperatorAPI/REST/OperatorTrail.swift": "our own JSON",
    "Server/OperatorAPI/REST/RESTHandler.swift": "a picture, of which nothing here makes text",
    "Server/OperatorAPI/REST/RecordsResource.swift": "the store's",
    "Server/PagesAndSongs/Faces/FaceFiles.swift": "our own letters",
    "Server/PagesAndSongs/Pages/WebRoot.swift": "our own files",
    "Server/PagesAndSongs/Songs/SongLibrary.swift": "our own files",
    "Server/Playback/Inspection/PictureInspector.swift": "our own helper's",
    "Server/ServerApp/CommandTrail.swift": "our own JSON",
    "Server/ServerApp/Configuration/SettingsReader.swift": "the operator's file",
    "Server/ServerApp/HostResources.swift": "the system's",
    "Server/ServerApp/OwnCertificate.swift": "openssl's",
    "Server/ServerApp/WordList.swift": "the operator's file",
    "Server/StoreSQLite/DirectoryLock.swift": "our own file",
    "Server/StoreSQLite/SQLiteAccounts.swift": "the store's",
    "Server/StoreSQLite/SQLiteGifts.swift": "the store's",
    "Server/StoreSQLite/SQLitePersonalData.swift": "the store's",
    "Server/Webhooks/ErasedNews.swift": "the store's",
    "Server/Webhooks/HostAddresses.swift": "the resolver's addresses",
}

KEYED = re.compile(r"\[String ?: ?|Set<String>|Dictionary<String|SharedBuckets<String>")
# file: where the keys come from.
KEYS = {
    "Media/SDP/OfferAnswerer.swift": "an offer, in a judged frame or body",
    "Media/SDP/SectionPlan.swift": "the same",
    "Model/RoomModel/Gifts.swift": "the catalogue's",
    "Model/RoomModel/Network.swift": "the server's, in a client",
    "Model/RoomModel/RoomAttributes.swift": "a judged frame or body",
    "Model/RoomModel/RoomCommand.swift": "our own names",
    "Model/RoomModel/RoomOverview.swift": "attributes of a room",
    "Model/RoomModel/RoomSnapshot.swift": "attributes of a room",
    "Model/RoomModel/WireSize.swift": "attributes of a room; languages, checked",
    "Protocol/Digests/TC3Signature.swift": "a judged head",
    "Protocol/HTTPGrammar/AcceptedCodings.swift": "a judged head",
    "Protocol/SignalProtocol/MediaCalls.swift": "lines of an offer, in a judged frame",
    "Protocol/SignalProtocol/ParameterDecoder.swift": "our own names",
    "Protocol/SignalProtocol/PlainParameters.swift": "our own names",
    "Rooms/RoomPorts/KeptFace.swift": "our own names",
    "Rooms/RoomPorts/MediaControl.swift": "lines of an offer, in a judged frame or body",
    "Rooms/RoomRules/Membership/AttributeRules.swift": "attributes of a room",
    "Rooms/RoomRules/Membership/RoomDetails.swift": "attributes of a room",
    "Rooms/RoomRules/Moderation/ChatLinks.swift": "our own words, asked with what a judged frame has",
    "Rooms/RoomRules/PK/PKDraft.swift": "our own numbers of sessions",
    "Rooms/RoomRules/PK/PKRules.swift": "our own numbers of sessions",
    "Rooms/RoomRules/PK/RoomMail.swift": "our own numbers of sessions",
    "Rooms/RoomService/Media/RequestStills.swift": "ids of invitations: printable ASCII",
    "Server/HTTP/Admission/AddressRates.swift": "addresses of a socket or a trusted proxy",
    "Server/HTTP/Admission/OriginRule.swift": "the operator's",
    "Server/HTTP/Requests/GatewayRouter.swift": "our own paths",
    "Server/PagesAndSongs/Pages/AnnouncedModules.swift": "our own files, asked with our own names",
    "Server/MediaNode/Workers/WorkerCommand.swift": "an offer, in a judged frame or body",
    "Server/OperatorAPI/Compatible/ChatAttributes.swift": "a judged body",
    "Server/OperatorAPI/Compatible/ChatCounters.swift": "a judged body",
    "Server/OperatorAPI/Compatible/ChatHandler.swift": "a judged body",
    "Server/OperatorAPI/Compatible/ChatMessages.swift": "a judged body",
    "Server/OperatorAPI/Compatible/ChatRequest.swift": "a judged body",
    "Server/OperatorAPI/Compatible/RoomAPICall.swift": "a judged body",
    "Server/OperatorAPI/Operation/MetricsText.swift": "our own names",
    "Server/OperatorAPI/REST/AuditedDetails.swift": "our own names",
    "Server/OperatorAPI/REST/OperatorSignIn.swift": "our own ids, asked with a judged head",
    "Server/OperatorAPI/REST/OperatorTrail.swift": "our own names",
    "Server/OperatorAPI/REST/PeopleResource.swift": "our own names",
    "Server/OperatorAPI/REST/PersonFaces.swift": "our own names",
    "Server/OperatorAPI/REST/RESTParameters.swift": "a judged body and head",
    "Server/OperatorAPI/REST/RESTRoute.swift": "our own names",
    "Server/OperatorAPI/REST/RecordsResource.swift": "the store's",
    "Server/PagesAndSongs/Faces/FaceHandler.swift": "our own names",
    "Server/PagesAndSongs/Faces/FaceLibrary.swift": "our own ids, asked with a judged path",
    "Server/PagesAndSongs/Faces/FaceOrder.swift": "our own names",
    "Server/PagesAndSongs/Pages/WebRoot.swift": "our own files, asked with a judged path",
    "Server/PagesAndSongs/Songs/SongLibrary.swift": "our own, of ids that are judged",
    "Server/PagesAndSongs/Songs/SongHandler.swift": "names of fields that we know",
    "Server/PagesAndSongs/Songs/SongUpload.swift": "names of fields, judged",
    "Server/PagesAndSongs/Tickets/TicketIssuer.swift": "a name, in a judged body",
    "Server/ServerApp/CommandTrail.swift": "our own names",
    "Server/ServerApp/Configuration/SettingsReader.swift": "the operator's",
    "Server/ServerApp/ServerSongFiles.swift": "the operator's",
    "Server/Signalling/Sessions/LineTests.swift": "none",
    "Server/Signalling/Sessions/SessionRegistry.swift": "our own secrets, asked with a judged frame",
    "Server/StoreSQLite/SQLiteGifts.swift": "the store's",
    "Server/StoreSQLite/SQLitePersonalData.swift": "the store's",
    "Server/WHIP/HTTPMediaSession.swift": "lines of an offer, in a judged body",
    "Server/WHIP/HTTPMediaSessions.swift": "our own secrets, asked with a judged path",
    "Server/Webhooks/ErasedNews.swift": "the store's",
    "Server/Webhooks/WebhookEventTypes.swift": "our own names",
}


def places(pattern):
    found = set()
    for folder in FOLDERS:
        for path in sorted((ROOT / "Sources" / folder).rglob("*.swift")):
            if any(pattern.search(re.sub(r"//.*", "", line)) for line in path.read_text().splitlines()):
                found.add(str(path.relative_to(ROOT / "Sources")))
    return found


def test_all_text_from_outside_is_judged_before_it_is_read():
    assert places(READING) == set(READERS) | set(INSIDE), "say in READERS what judges these bytes, or in INSIDE why nothing need (decision 0037)"
    assert not set(READERS) & set(INSIDE)


def test_the_work_of_all_readers_of_text_from_outside_is_counted_at_a_door():
    reached = {door for _, doors in READERS.values() for door in doors}
    assert reached == set(DOORS), "each reader names its doors, and each door has a reader behind it"
    assert all(doors for _, doors in READERS.values())


def test_all_tables_keyed_by_text_say_where_their_keys_come_from():
    assert places(KEYED) == set(KEYS), "say in KEYS where the keys come from (decision 0037)"
