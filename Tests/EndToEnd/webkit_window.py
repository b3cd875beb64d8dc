#!/usr/bin/python3
"""`webkit_window.py WIDTH HEIGHT dark|light LANGUAGE SCRIPT`: a window with nothing but WebKitGTK's page in it, exactly as large as it is
told, for WebKitWebDriver to start and drive. SCRIPT runs before the page's own. WebKit's MiniBrowser has a toolbar that makes it wider than
a phone. Runs in the system's Python, which has the GTK bindings."""

import pathlib
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402

width, height, scheme, language, script = sys.argv[1:]
Gtk.Settings.get_default().set_property("gtk-application-prefer-dark-theme", scheme == "dark")
# As in the stories of other browsers: the wish for less motion.
Gtk.Settings.get_default().set_property("gtk-enable-animations", False)
context = WebKit2.WebContext.new_ephemeral()
context.set_automation_allowed(True)
context.set_preferred_languages([language])


def allow(_view, request):
    """Camera and microphone, as somebody would who wants to be seen."""
    request.allow()
    return True


def open_view(_session):
    content = WebKit2.UserContentManager()
    content.add_script(WebKit2.UserScript.new(
        pathlib.Path(script).read_text(), WebKit2.UserContentInjectedFrames.TOP_FRAME, WebKit2.UserScriptInjectionTime.START, None, None))
    view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True, user_content_manager=content)
    settings = view.get_settings()
    for name in ("enable-media-stream", "enable-mock-capture-devices", "enable-webaudio", "enable-webgl", "enable-mediasource"):
        settings.set_property(name, True)
    settings.set_property("media-playback-requires-user-gesture", False)
    view.connect("permission-request", allow)
    window = Gtk.Window(type=Gtk.WindowType.POPUP)
    window.set_default_size(int(width), int(height))
    window.resize(int(width), int(height))
    window.add(view)
    window.show_all()
    return view


def started(_context, session):
    about = WebKit2.ApplicationInfo.new()
    about.set_name(pathlib.Path(__file__).stem)
    session.set_application_info(about)
    session.connect("create-web-view", open_view)


context.connect("automation-started", started)
Gtk.main()
