"""Short questions and greetings, by the ISO 639-1 code of the language that each is in.

What tells languages apart was made while looking at TUNED alone.
"""

_TUNED = {
    "en": """
        What is this?
        How many cats are there?
        Why not?
        Thanks!
        Tell me about maps.
    """,
    "de": """
        Hallo
        Wie viele Katzen gibt es?
        Warum?
        Erkläre mir Karten.
        Danke!
        Kann man Pilze roh essen?
    """,
    "es": """
        Hola
        ¿Quién lo escribió?
        ¿Por qué?
        Háblame de los mapas.
        Gracias
        que es una brújula
    """,
    "fr": """
        Bonjour
        Combien de chats y a-t-il ?
        Pourquoi ?
        Parle-moi des cartes.
        Merci
        C'est quoi une boussole ?
    """,
    "pt": """
        Olá
        Quantos gatos há?
        Por quê?
        Fale sobre os mapas.
        Obrigado
        Como se faz queijo?
    """,
    "zh": """
        你好
        谁写的?
        为什么?
        介绍一下地图
    """,
    "ja": """
        こんにちは
        誰が書きましたか?
        なぜ?
        地図について教えて
    """,
    "ar": """
        مرحبا
        من كتب هذا؟
        لماذا؟
        حدثني عن الخرائط
    """,
    "hi": """
        नमस्ते
        इसे किसने लिखा?
        क्यों?
        नक्शों के बारे में बताओ
    """,
    "ru": """
        Привет
        Кто это написал?
        Почему?
        Расскажи о картах.
    """,
}
_HELD_OUT = {
    "en": """
        Who wrote it?
        Hello
        When was it built?
        Where do bees sleep?
        Is bread healthy?
        Good morning
        Which one?
        Name three cheeses.
        Who are you?
        Was Die Hard a film?
        Is that a la carte?
        Explain yeast to me
        Can wax melt?
    """,
    "de": """
        Was ist das?
        Wer hat das geschrieben?
        Wo schlafen Bienen?
        Wann wurde sie gebaut?
        Ist Brot gesund?
        Welche Farbe hat Honig?
        Guten Abend
        Wieso?
        Nenne drei Käsesorten.
        Woraus besteht Papier?
        Wozu dient Wachs?
        Wer erfand das Papier?
        Tschüss
        Hallo, wie geht's?
        Was kostet Honig?
    """,
    "es": """
        ¿Qué es un mapa?
        ¿Cuántos gatos hay?
        ¿Dónde duermen las abejas?
        ¿Cuándo se construyó?
        ¿El pan es sano?
        como se hace el queso
        Buenas tardes
        ¿Cuánto cuesta la miel?
        Explica la levadura.
        quién inventó el papel
        ¿Para qué sirve la cera?
        Adiós
        Hola, ¿qué tal?
        Nombra tres quesos
    """,
    "fr": """
        Qui est-ce ?
        Qu'est-ce qu'une carte ?
        Où dorment les abeilles ?
        Quand a-t-elle été construite ?
        Le pain est-il sain ?
        Comment fait-on le fromage ?
        Salut
        Combien coûte le miel ?
        Explique la levure.
        qui a inventé le papier
        À quoi sert la cire ?
        Au revoir
        Bonjour, ça va ?
        Cite trois fromages
    """,
    "pt": """
        Quem escreveu isto?
        O que é um mapa?
        Onde dormem as abelhas?
        Quando foi construída?
        O pão é saudável?
        Qual é a cor do mel?
        Bom dia
        Quanto custa o mel?
        Explique o fermento.
        quem inventou o papel
        Para que serve a cera?
        Tchau
        Oi, tudo bem?
        Cite três queijos
    """,
    "zh": """
        这是什么?
        有多少只猫?
        蜜蜂在哪里睡觉?
        谢谢
        早上好
        蜂蜜多少钱?
        谁发明了纸
        再见
    """,
    "ja": """
        これは何ですか?
        猫は何匹いますか?
        ミツバチはどこで眠りますか?
        ありがとう
        おはようございます
        蜂蜜はいくらですか?
        紙は誰が発明しましたか
        さようなら
    """,
    "ar": """
        ما هذا؟
        كم قطة هناك؟
        أين ينام النحل؟
        شكرا
        صباح الخير
        بكم العسل؟
        من اخترع الورق
        مع السلامة
    """,
    "hi": """
        यह क्या है?
        कितनी बिल्लियाँ हैं?
        मधुमक्खियाँ कहाँ सोती हैं?
        धन्यवाद
        सुप्रभात
        शहद कितने का है?
        कागज़ किसने बनाया
        अलविदा
    """,
    "ru": """
        Что это?
        Сколько там кошек?
        Где спят пчёлы?
        Спасибо
        Доброе утро
        Сколько стоит мёд?
        Кто изобрёл бумагу
        До свидания
    """,
}


def _read(asked: dict[str, str]) -> list[tuple[str, str]]:
    """Return each question with its language."""
    lines = [(line.strip(), code) for code, text in asked.items() for line in text.split("\n")]
    return [(line, code) for line, code in lines if line]


TUNED, HELD_OUT = _read(_TUNED), _read(_HELD_OUT)
