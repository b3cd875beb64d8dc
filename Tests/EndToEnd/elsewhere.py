"""Another site than the server's, on a port of its own."""

import http.server
import threading


class Site:
    """One file at every address, which other pages may read; it can send them elsewhere."""

    def __init__(self, content, elsewhere=None, kind="application/octet-stream"):
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(302 if elsewhere else 200)
                if elsewhere:
                    self.send_header("Location", elsewhere)
                self.send_header("Content-Type", kind)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Length", str(0 if elsewhere else len(content)))
                self.end_headers()
                site.asked += 1
                self.wfile.write(b"" if elsewhere else content)

            def log_message(self, *_):
                pass

        site, self.asked = self, 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
