"""What the entities of KDE's own kind of DocBook read as, whose files no handbook brings along.

A name is what it stands for in small letters and without spaces, so that the list is of what is read;
names that are spelled otherwise have a line of their own.
"""

_READ = """
ACL, Akonadi, Akregator, Amarok, Ark, Artikulate, Blinken, Bomber, Bovo, Calligra, Calligra Flow,
Calligra Plan, Calligra Sheets, Calligra Stage, Calligra Words, Cantor, Cervisia, Choqok, CMake,
digiKam, Dolphin, DrKonqi, Elisa, Falkon, Filelight, Firefox, Frameworks, GCompris, Git, GPG, GpgSM,
Granatier, Gwenview, iCal, IRC, JavaScript, JuK, KAddressBook, Kaffeine, Kajongg, KAlarm, KAlgebra,
Kalzium, Kamera, Kamoso, Kanagram, Kapman, KAppTemplate, Karbon, Kate, KatePart, KAtomic, KBackup,
KBibTeX, KBlackBox, KBlocks, KBounce, KBreakOut, KBruch, KCachegrind, KCalc, KCharSelect, KChart,
KControl, KCron, KDE, KDE su, KDebugDialog, Kdenlive, KDesktop, KDevelop, KDiamond, KDiff3, Kexi, KF5,
KFind, Kfloppy, KFontview, KFormula, KFourInLine, KGeography, KGet, KGoldrunner, KGpg, KGraphViewer,
KHangMan, KHelpCenter, Kicker, Kickoff, Kig, Kigo, Kile, Killbots, KInfoCenter, Kiriki, Kit, Kiten,
KJots, KJumpingCube, Kleopatra, KLettres, Klickety, Klipper, KMagnifier, KMahjongg, KMail, KMenuEdit,
KMid, KMines, KMix, KMouth, KMouseTool, KMPlayer, KmPlot, KMyMoney, KNavalBattle, KNetAttach, KNetWalk,
KNewStuff, Knights, KNode, KNotes, KOffice, Kolab, Kolf, Kollision, Kolor Lines, KolourPaint, Kompare,
Konqueror, Konquest, Konsole, KonsoleKalendar, Kontact, Konversation, Kopete, KOrganizer, KPager,
KParts, KPatience, KPlato, KPPP, Krecipes, KRegExpEditor, KRename, KReversi, Krita, Kronometer, KRunner,
Krusader, KsCD, KSnapshot, KsirK, KSpaceDuel, KSplash, KSquares, KStars, KSystemLog, KTeaTime, KTimer,
KTimetracker, KTorrent, KTouch, KTron, KTuberling, KTurtle, Kubrick, Kubuntu, KUser, Kwave, KWin,
KWordQuiz, KWrite, Kxkb, Lokalize, Marble, Minuet, NNTP, Okteta, Okular, OpenPGP, Palapeli, Parley,
Phonon, Picmi, Plasma, Plasmoid, Plasmoids, Quanta, Quanta Plus, Rocs, RSIBreak, Skanlite, Skrooge,
Smb4K, Solid, Sonnet, Spectacle, Step, SuperKaramba, Sweeper, SymbolEditor, System Settings,
system tray, Tellico, Ubuntu, Umbrello, Window Maker, Applications
"""
_SPELLED_OTHERWISE = {
    "DBus": "D-Bus",
    "LMB": "left mouse button",
    "MMB": "middle mouse button",
    "MacOS": "Mac OS",
    "OS": "operating system",
    "RMB": "right mouse button",
    "RedHat": "Red Hat",
    "X-Window": "X Window System",
    "cdrom": "CD-ROM drive",
    "dragon": "Dragon Player",
    "eg": "e.g.",
    "etc": "etc.",
    "ie": "i.e.",
    "infocenter": "Info Center",
    "kcontrolcenter": "KDE Control Center",
    "kde-frameworks": "KDE Frameworks",
    "kmenu": "K menu",
    "krdc": "Remote Desktop Connection",
    "krfb": "Desktop Sharing",
    "kruler": "KDE Screen Ruler",
    "ksysguard": "System Monitor",
    "kwallet5": "KWallet",
    "kwalletmanager5": "KWallet Manager",
    "partman": "KDE Partition Manager",
    "plasma-desktop": "KDE Plasma Desktop",
    "plasma-workspaces": "KDE Plasma Workspaces",
    "smime": "S/MIME",
}
_AS_THEY_STAND = """
AIX, Alt, ASCII, ATAPI, Backspace, BSD, CD, CD-ROM, CSS, Ctrl, CUPS, CVS, Debian, Del, Down, DVD, DVI,
Emacs, End, Enter, Esc, FAQ, FTP, GIF, GNU, GUI, Home, HP, HTML, HTTP, IDE, IMAP, Ins, Intel, IP, ISO,
Java, JPEG, LAN, LaTeX, LDAP, Left, Linux, Meta, Microsoft, MIME, MIDI, Mozilla, Netscape, NFS, OpenGL,
PAM, PDF, PERL, PgDn, PgUp, PHP, PNG, POP3, PostScript, PPP, Python, Qt, RAM, Right, RPM, Samba, SCSI,
Shift, SMB, SMTP, Solaris, Space, SQL, SSH, SSL, SuSE, SVG, Tab, TCP, TeX, TIFF, UNIX, Up, URI, URL,
USB, Windows, WWW, XEmacs, XML, XSL, XSLT
"""


def _listed(names: str) -> list[str]:
    return [" ".join(name.split()) for name in names.split(",")]


NAMES = {
    **{"".join(name.split()).lower(): name for name in _listed(_READ)},
    **{name: name for name in _listed(_AS_THEY_STAND)},
    **_SPELLED_OTHERWISE,
}
"""What is read for each entity."""
PUBLIC = "-//KDE//"
"""How the public names of KDE's document types begin."""
