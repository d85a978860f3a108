"""What sentences say and depend on, by the grammar of each language beside English."""

import re

import pytest

from libs.language.entries import OFF
from libs.language.lexicon import load_lexicon
from libs.language.spans import Spans

LANGUAGES = ("de", "fr", "es", "pt", "ru", "zh", "ja", "ko", "ar", "hi")

DEFINED = {
    "de": {
        "Ein Servo ist ein Motor mit Regler.": "Servo",
        "Das Regelventil (RV) bezeichnet die Stelle, an der gedrosselt wird.": "Regelventil",
        "Unter einem Servo versteht man einen geregelten Motor.": "Servo",
        "Bei Kavitation handelt es sich um Blasen im Wasser.": "Kavitation",
    },
    "fr": {
        "Un servo est un moteur asservi.": "servo",
        "L'amortisseur (AM) désigne la pièce qui freine.": "amortisseur",
        "Les vannes sont des organes de réglage.": "vannes",
    },
    "es": {
        "Un servo es un motor con regulador.": "servo",
        "La válvula (VR) se refiere a la pieza que regula.": "válvula",
        "Los muelles son las piezas elásticas.": "muelles",
    },
    "pt": {
        "Um servo é um motor com regulador.": "servo",
        "A válvula (VR) refere-se a uma peça que regula.": "válvula",
        "As molas são as peças elásticas.": "molas",
    },
    "ru": {
        "Сервопривод — это двигатель с регулятором.": "Сервопривод",
        "«Клапан (К)» — это деталь, которая регулирует.": "Клапан",
        "Насос является главной частью машины.": "Насос",
        "Кавитация представляет собой пузырьки в воде.": "Кавитация",
    },
    "zh": {
        "伺服电机是一种带调节器的电机。": "伺服电机",
        "“阀门（VR）”是指调节流量的部件。": "阀门",
        "气蚀，也称空化，是水中产生气泡的现象。": "气蚀",
    },
    "ja": {
        "サーボとは調整器付きのモーターです。": "サーボ",
        "「弁（VR）」は流量を調整する部品です。": "弁",
        "ポンプは水を送る機械である。": "ポンプ",
    },
    "ko": {
        "서보란 조절기가 달린 전동기를 말한다.": "서보",
        "밸브(VR)는 유량을 조절하는 부품입니다.": "밸브",
        "펌프는 물을 보내는 기계이다.": "펌프",
    },
    "ar": {
        "المؤازر هو محرك مزود بمنظم.": "المؤازر",
        "الصمام (ص) هو القطعة التي تنظم التدفق.": "الصمام",
        "التكهف يعني فقاعات في الماء.": "التكهف",
    },
    "hi": {
        "सर्वो एक मोटर है।": "सर्वो",
        "वाल्व (VR) वह पुर्ज़ा है जो बहाव रोकता है।": "वाल्व",
        "पंप का अर्थ पानी खींचने का यंत्र है।": "पंप",
    },
}
"""Sentences that say what their subject is, and that subject."""

UNDEFINED = {
    "de": (
        "Die Pumpe ist laut.",
        "Der Tank wird gefüllt.",
        "Die Ventile sind heute offen.",
        "Emul ist eine eingetragene Marke von Ada Byron.",
    ),
    "fr": (
        "La pompe est bruyante.",
        "Le réservoir fuit.",
        "Les vannes sont ouvertes.",
        "Emul est une marque déposée d'Ada Byron.",
    ),
    "es": (
        "La bomba es ruidosa.",
        "El depósito pierde.",
        "Las válvulas son nuevas.",
        "Emul es una marca registrada de Ada Byron.",
    ),
    "pt": (
        "A bomba é barulhenta.",
        "O tanque verte.",
        "As válvulas são novas.",
        "Emul é uma marca registrada de Ada Byron.",
    ),
    "ru": ("Насос шумит.", "Бак — полный.", "Это не насос."),
    "zh": ("泵很响。", "水箱是否漏水要检查。", "但是泵坏了。", "泵还是响。"),
    "ja": (
        "ポンプは必要です。",
        "水槽が漏れる。",
        "冬には凍ります。",
        "弁は開けることが可能です。",
    ),
    "ko": ("펌프는 시끄럽다.", "물통이 샌다.", "물을 보내는 기계를 샀다."),
    "ar": ("المضخة صاخبة.", "الخزان هو الذي يسرب.", "يسرب الخزان الماء."),
    "hi": ("पंप शोर करता है।", "टंकी टपकती है।", "वाल्व खुला है।"),
}
"""Sentences that say of their subject something else than what it is."""

SAID: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "de": {
        "goes_on_how": (
            ("Dazu öffnen Sie das Tor.", "Am einfachsten geht es mit Öl."),
            ("Das Tor ist offen.", "Dazugehörig ist Öl."),
        ),
        "announces": (
            ("Die Uhr stellt folgender Befehl.", "Das geht wie folgt."),
            ("Er folgt ihr.",),
        ),
        "points_back": (
            ("Das ist ein Verfahren.", "Dabei handelt es sich um Sand."),
            ("Das ist gut.", "Sie singt."),
        ),
        "locates": (
            ("Die Datei liegt im Ordner.", "Der Schlüssel wird im Keller aufbewahrt."),
            ("Die Pumpe läuft.",),
        ),
        "leans": (
            ("Danach läuft sie.", "Dies ist nötig.", "Sie erlaubt mehr.", "Dieser Wert zählt."),
            (
                "Sie können pumpen.",
                "Es gibt drei Pumpen.",
                "Dieses Kapitel ist kurz.",
                "Die Pumpe läuft.",
            ),
        ),
        "clause": (("die Pumpe, wenn sie läuft",), ("die rote Pumpe",)),
        "judges": (("Das ist nicht erlaubt.", "Sie müssen warten."), ("Die Pumpe läuft.",)),
        "instructs": (
            (
                "Öffnen Sie das Ventil.",
                "1. Bitte drehen Sie um.",
                "Um zu lüften, drehen Sie auf.",
                "Öffne es.",
            ),
            (
                "Danach können Sie gehen.",
                "Haben Sie Geduld?",
                "Hier finden Sie Öl.",
                "Die Pumpe läuft.",
            ),
        ),
        "tells_how": (
            (
                "Man kann es lüften.",
                "Sie können gehen.",
                "Es lässt sich drehen.",
                "Er kann leicht geöffnet werden.",
            ),
            ("Die Pumpe läuft.",),
        ),
        "reading": (("Weiterführende Literatur", "Siehe auch:"), ("Die Pumpe",)),
        "teaches": (("Sie lernen dabei:",), ("Die Pumpe hat:",)),
        "leads_on": (
            ("Dieses Kapitel beschreibt Pumpen.", "In diesem Abschnitt betrachten wir Öl."),
            ("Das Bild beschreibt nichts.",),
        ),
        "led_on": (("Dieses Kapitel behandelt Folgendes:",), ("Die Pumpe hat:",)),
        "caption_asked": (("Was zeigt die Abbildung?",), ("Was zeigt die Pumpe?",)),
        "states_problem": (("Problem: Sie tropft.", "Fehler 3: leer"), ("Sie ist ein Problem.",)),
        "problem_asked": (("Was ist das Problem?",), ("Was ist das?",)),
        "default_asked": (("Was ist die Vorgabe?",), ("Was ist das?",)),
        "tells_default": (("Die Vorgabe ist 5.", "Standardmäßig 5 bar."), ("Sie läuft.",)),
        "tells_change": (("Der Druck kann hier eingestellt werden.",), ("Der Druck ist 5.",)),
        "occurs": (("Ein Stau entsteht, wenn er voll ist.",), ("Es entsteht, wenn er voll ist.",)),
        "names_example": (("Beispiel 3: Eine Pumpe",), ("Beispiel: Die Pumpe ist laut.",)),
        "exercise_asked": (("Welches Beispiel gibt es?",), ("Was ist das?",)),
        "sets_exercises": (
            ("Übungsaufgaben", "Prüfen Sie Ihr Wissen:"),
            ("Die Aufgaben des Amtes",),
        ),
        "of_any": (("Der Mittelwert einer Reihe",), ("Der Mittelwert der Reihe",)),
        "named_last": (
            ("Was am öftesten vorkommt, ist der Modus.",),
            ("Der Modus ist, was vorkommt.",),
        ),
        "dates_page": (("Stand: Mai 2024", "Zuletzt geändert: 3. Mai"), ("Der Stand ist hoch.",)),
        "change_asked": (("Wann wurde sie geändert?",), ("Was ist das?",)),
        "reading_asked": (("Was soll ich lesen?",), ("Was ist das?",)),
        "shows": (
            (
                "Abbildung 3 zeigt die drei Schritte.",
                "Die Werte sind in Tabelle 2 zusammengefasst.",
            ),
            ("Abbildung 3 zeigt, dass sie tropft.", "Die Pumpe zeigt den Druck."),
        ),
        "points": (
            ("Siehe Kapitel 3.", "Weitere Informationen finden Sie im Anhang."),
            ("Lesen Sie, wie er es tat.", "Er siehe da."),
        ),
        "place_asked": (("Wo steht das?",), ("Was tropft?",)),
        "part_asked": (("Was sagt das Kapitel?",), ("Was tropft?",)),
    },
    "fr": {
        "goes_on_how": (
            ("Pour cela, ouvrez-la.", "La meilleure façon est de tourner."),
            ("La vanne est ouverte.",),
        ),
        "announces": (("La commande suivante le fait.", "Voir ci-dessous."), ("Il la suit.",)),
        "points_back": (("C'est un outil.", "Il s'agit de sable."), ("C est bleu.", "Il chante.")),
        "locates": (
            ("La clé se trouve dans le tiroir.", "Le fichier est enregistré sous un autre nom."),
            ("La pompe tourne.",),
        ),
        "leans": (
            (
                "Ensuite, elle tourne.",
                "Cela suffit.",
                "Elle permet plus.",
                "Cette valeur compte.",
                "C'est utile.",
            ),
            (
                "Il faut pomper.",
                "Il est possible de pomper.",
                "Ce chapitre est court.",
                "La pompe tourne.",
            ),
        ),
        "clause": (("la pompe qui tourne", "lorsque tout va"), ("la pompe rouge",)),
        "judges": (("Ce n'est pas permis.", "Vous devez attendre."), ("La pompe tourne.",)),
        "instructs": (
            (
                "Ouvrez la vanne.",
                "1. Ensuite, tournez.",
                "Pour purger, ouvrez la vanne.",
                "Faites le plein.",
            ),
            ("Vous ouvrez la vanne.", "Notez bien ceci.", "Chez lui elle tourne."),
        ),
        "tells_how": (
            (
                "On peut la purger.",
                "Il suffit d'attendre.",
                "Purgez en tournant.",
                "Elle peut être ouverte.",
            ),
            ("La pompe tourne.",),
        ),
        "reading": (("Bibliographie", "Voir aussi:"), ("La pompe",)),
        "teaches": (("Vous apprendrez :",), ("La pompe a :",)),
        "leads_on": (
            ("Ce chapitre décrit les pompes.", "Nous allons voir cela."),
            ("Cette image décrit la pompe.",),
        ),
        "led_on": (("Ce chapitre traite de ceci :",), ("La pompe a :",)),
        "caption_asked": (("Que montre la figure ?",), ("Que montre la pompe ?",)),
        "states_problem": (("Problème : elle fuit.", "Erreur 3 : vide"), ("C'est un problème.",)),
        "problem_asked": (("Quel est le problème ?",), ("Quelle pompe ?",)),
        "default_asked": (("Quelle est la valeur par défaut ?",), ("Qu'est-ce que c'est ?",)),
        "tells_default": (("Par défaut, 5 bars.", "Elle est de 5 par défaut."), ("Elle tourne.",)),
        "tells_change": (("La pression peut être réglée ici.",), ("La pression est 5.",)),
        "occurs": (("Un arrêt se produit quand il gèle.",), ("Cela se produit quand il gèle.",)),
        "names_example": (("Exemple 3 : Une pompe",), ("Exemple : La pompe est lente.",)),
        "exercise_asked": (("Quel exemple donne-t-il ?",), ("Qu'est-ce que c'est ?",)),
        "sets_exercises": (
            ("Exercices", "Testez vos connaissances :"),
            ("Les exercices sont longs.",),
        ),
        "of_any": (("La moyenne d'une série",), ("La moyenne de la série",)),
        "named_last": (("La valeur la plus fréquente est le mode.",), ("Le mode est, ici, de 3.",)),
        "dates_page": (("Dernière mise à jour : mai",), ("La mise à jour échoue.",)),
        "change_asked": (("Quand est-ce modifié ?",), ("Quelle pompe ?",)),
        "reading_asked": (("Que dois-je lire ?",), ("Quelle pompe ?",)),
        "shows": (
            (
                "La figure 3 résume les trois étapes.",
                "Les valeurs sont présentées dans le tableau 2.",
            ),
            ("La figure 3 montre que la pompe fuit.", "La pompe affiche la pression."),
        ),
        "points": (
            ("Voir le chapitre 3.", "Pour plus d'informations, il y a l'annexe."),
            ("Voyez si elle fuit.", "On peut voir la pompe."),
        ),
        "place_asked": (("Où lire cela ?",), ("Que fuit-il ?",)),
        "part_asked": (("Que dit le chapitre ?",), ("Que fuit-il ?",)),
    },
    "es": {
        "goes_on_how": (
            ("Para ello, ábrala.", "La mejor forma es girar."),
            ("La válvula está abierta.",),
        ),
        "announces": (("La siguiente orden lo hace.",), ("Ella sigue.",)),
        "points_back": (("Es un método.", "Se trata de arena."), ("Es bueno.", "Canta.")),
        "locates": (
            ("La llave se guarda en el cajón.", "El archivo está en la carpeta."),
            ("La bomba gira.",),
        ),
        "leans": (
            (
                "Después, gira.",
                "Esto basta.",
                "Ella permite más.",
                "Este valor cuenta.",
                "Dicha pieza cede.",
            ),
            (
                "Después de comer gira.",
                "Este capítulo es corto.",
                "Hay que bombear.",
                "La bomba gira.",
            ),
        ),
        "clause": (("la bomba que gira",), ("la bomba roja",)),
        "judges": (("No está permitido.", "Debe esperar."), ("La bomba gira.",)),
        "instructs": (
            ("Abra la válvula.", "1. Luego, pulse el botón.", "Para purgar, abra la válvula."),
            ("La bomba usa aceite.", "Vea la bomba."),
        ),
        "tells_how": (
            ("Se puede purgar.", "Debe abrirla.", "Hay que esperar.", "Puede ser abierta."),
            ("La bomba gira.", "Puede más."),
        ),
        "reading": (("Bibliografía", "Véase también:"), ("La bomba",)),
        "teaches": (("Aprenderá lo siguiente:",), ("La bomba tiene:",)),
        "leads_on": (
            ("Este capítulo describe bombas.", "Vamos a ver esto."),
            ("La imagen describe la bomba.",),
        ),
        "led_on": (("Este capítulo trata de esto:",), ("La bomba tiene:",)),
        "caption_asked": (("¿Qué muestra la figura?",), ("¿Qué muestra la bomba?",)),
        "states_problem": (("Problema: gotea.", "Error 3: vacío"), ("Es un problema.",)),
        "problem_asked": (("¿Cuál es el problema?",), ("¿Cuál es?",)),
        "occurs": (("Una parada ocurre cuando hay hielo.",), ("Esto ocurre cuando hay hielo.",)),
        "names_example": (("Ejemplo 3: Una bomba",), ("Ejemplo: La bomba es lenta.",)),
        "exercise_asked": (("¿Qué ejemplo da?",), ("¿Qué es esto?",)),
        "sets_exercises": (("Ejercicios", "Preguntas de repaso"), ("Los ejercicios son largos.",)),
        "dates_page": (("Última actualización: mayo",), ("La actualización falla.",)),
        "change_asked": (("¿Cuándo se modificó?",), ("¿Cuál es?",)),
        "reading_asked": (("¿Qué debo leer?",), ("¿Cuál es?",)),
        "shows": (
            ("La figura 3 resume los tres pasos.", "Los valores se muestran en la tabla 2."),
            ("La figura 3 muestra que gotea.", "La bomba muestra la presión."),
        ),
        "points": (
            ("Vea el capítulo 3.", "Hay más información en el anexo."),
            ("Vea si gotea.", "Se deja ver la bomba."),
        ),
        "place_asked": (("¿Dónde lo leo?",), ("¿Gotea?",)),
        "part_asked": (("¿Trata de eso el capítulo?",), ("¿Gotea?",)),
    },
    "pt": {
        "goes_on_how": (
            ("Para isso, abra-a.", "A melhor forma é girar."),
            ("A válvula está aberta.",),
        ),
        "announces": (("A seguinte ordem o faz.",), ("Ela segue.",)),
        "points_back": (("É um método.", "Trata-se de areia."), ("É bom.", "Canta.")),
        "locates": (
            ("A chave fica guardada na gaveta.", "O arquivo está na pasta."),
            ("A bomba gira.",),
        ),
        "leans": (
            (
                "Depois, gira.",
                "Isto basta.",
                "Ela permite mais.",
                "Este valor conta.",
                "Essa peça cede.",
            ),
            (
                "Depois de comer gira.",
                "Este capítulo é curto.",
                "É preciso bombear.",
                "A bomba gira.",
            ),
        ),
        "clause": (("a bomba que gira",), ("a bomba vermelha",)),
        "judges": (("Não é permitido.", "Deve esperar."), ("A bomba gira.",)),
        "instructs": (
            ("Abra a válvula.", "1. Depois, pressione o botão.", "Para purgar, abra a válvula."),
            ("A bomba usa óleo.", "Veja a bomba."),
        ),
        "tells_how": (
            ("Pode-se purgar.", "Deve abrir.", "É preciso esperar.", "Pode ser aberta."),
            ("A bomba gira.", "Pode mais."),
        ),
        "reading": (("Bibliografia", "Ver também:"), ("A bomba",)),
        "teaches": (("Aprenderá o seguinte:",), ("A bomba tem:",)),
        "leads_on": (
            ("Este capítulo descreve bombas.", "Vamos ver isto."),
            ("A imagem descreve a bomba.",),
        ),
        "led_on": (("Este capítulo trata disto:",), ("A bomba tem:",)),
        "caption_asked": (("O que mostra a figura?",), ("O que mostra a bomba?",)),
        "states_problem": (("Problema: pinga.", "Erro 3: vazio"), ("É um problema.",)),
        "problem_asked": (("Qual é o problema?",), ("Qual é?",)),
        "occurs": (("Uma parada ocorre quando há gelo.",), ("Isso ocorre quando há gelo.",)),
        "names_example": (("Exemplo 3: Uma bomba",), ("Exemplo: A bomba é lenta.",)),
        "exercise_asked": (("Que exemplo dá?",), ("O que é isto?",)),
        "sets_exercises": (("Exercícios", "Perguntas de revisão"), ("Os exercícios são longos.",)),
        "dates_page": (("Última atualização: maio",), ("A atualização falha.",)),
        "change_asked": (("Quando foi modificada?",), ("Qual é?",)),
        "reading_asked": (("O que devo ler?",), ("Qual é?",)),
        "shows": (
            ("A figura 3 resume os três passos.", "Os valores são mostrados na tabela 2."),
            ("A figura 3 mostra que pinga.", "A bomba mostra a pressão."),
        ),
        "points": (
            ("Veja o capítulo 3.", "Há mais informações no anexo."),
            ("Veja se pinga.", "Deixa ver a bomba."),
        ),
        "place_asked": (("Onde leio isso?",), ("Pinga?",)),
        "part_asked": (("Trata disso o capítulo?",), ("Pinga?",)),
    },
    "ru": {
        "announces": (("Это делает следующая команда.",), ("Она идёт.",)),
        "locates": (("Ключ лежит в ящике.", "Файл хранится в папке."), ("Насос работает.",)),
        "leans": (
            ("Затем он работает.", "Это важно.", "Она позволяет больше.", "Этот насос шумит."),
            ("Эта глава коротка.", "Насос работает.", "Итак, насос.", "Опять шумит."),
        ),
        "clause": (("насос, который шумит", "если шумит"), ("красный насос",)),
        "judges": (("Это не разрешено.", "Нужно ждать."), ("Насос шумит.",)),
        "instructs": (
            ("Откройте клапан.", "1. Затем нажмите кнопку.", "Чтобы продуть, откройте клапан."),
            ("Вы откроете клапан.", "Смотрите главу.", "Насос шумит."),
        ),
        "tells_how": (
            ("Его можно продуть.", "Нужно ждать.", "Продувают с помощью клапана."),
            ("Насос шумит.",),
        ),
        "reading": (("Дополнительная литература", "Смотрите также:"), ("Насос",)),
        "teaches": (("Вы научитесь:",), ("Насос имеет:",)),
        "leads_on": (
            ("В этой главе описаны насосы.", "Мы рассмотрим клапан."),
            ("В этой бочке описаны насосы.",),
        ),
        "led_on": (("В этой главе описаны части:",), ("Насос имеет:",)),
        "caption_asked": (("Что на рисунке? Рисунок",), ("Что за насос?",)),
        "states_problem": (("Проблема: течёт.", "Ошибка 3: пусто"), ("Это проблема.",)),
        "problem_asked": (("В чём проблема?",), ("В чём дело?",)),
        "dates_page": (("Последнее обновление: май",), ("Обновление не прошло.",)),
        "change_asked": (("Когда её изменили?",), ("В чём дело?",)),
        "reading_asked": (("Что стоит прочитать?",), ("В чём дело?",)),
        "points": (
            ("См. главу 3.", "Дополнительную информацию можно найти в приложении."),
            ("Смотрите чтобы не текло.", "Он ждал информации."),
        ),
        "place_asked": (("Где прочитать?",), ("Течёт?",)),
        "part_asked": (("Что говорит глава?",), ("Течёт?",)),
    },
    "zh": {
        "locates": (("钥匙放在抽屉里。", "文件保存在目录下。"), ("水泵转动。",)),
        "leans": (
            ("但是它坏了。", "这很重要。", "该值有效。", "然后开泵。"),
            ("这一章很短。", "其他泵很好。", "泵很响。"),
        ),
        "clause": (("如果泵响",), ("红色的泵",)),
        "judges": (("不允许。", "必须等。"), ("泵响。",)),
        "instructs": (
            ("请打开阀门。", "1. 打开阀门。", "首先，按下按钮。"),
            ("请参见第三章。", "泵响了。"),
        ),
        "tells_how": (("可以排气。", "通过阀门排气。"), ("泵响了。",)),
        "reading": (("参考文献", "延伸阅读："), ("泵",)),
        "teaches": (("您将学会以下内容：",), ("泵有：",)),
        "leads_on": (("本章介绍泵。", "让我们来看看泵。"), ("这张照片很好。",)),
        "led_on": (("本章介绍以下内容：",), ("泵有：",)),
        "caption_asked": (("插图是什么？",), ("泵是什么？",)),
        "states_problem": (("问题：漏水。", "故障 3：空"), ("泵有问题。",)),
        "problem_asked": (("出什么问题了？",), ("是什么？",)),
        "points": (("参见第三章。", "更多信息请参阅附录。"), ("泵的信息不多。",)),
        "place_asked": (("在哪里读到？",), ("漏吗？",)),
        "part_asked": (("第三章说什么？",), ("漏吗？",)),
    },
    "ja": {
        "locates": (
            ("鍵は引き出しにあります。", "ファイルはフォルダに保存されます。"),
            ("ポンプが回る。",),
        ),
        "leans": (
            ("しかし壊れた。", "これは大事です。", "その値は有効です。", "そのため止まる。"),
            ("この章は短い。", "その他のポンプは良い。", "ポンプが鳴る。"),
        ),
        "clause": (("ポンプが鳴る場合",), ("赤いポンプ",)),
        "judges": (("許可されません。", "待つ必要がある。"), ("ポンプが鳴る。",)),
        "instructs": (
            ("弁を開けてください。", "始めましょう。"),
            ("第三章を参照してください。", "ポンプが鳴る。"),
        ),
        "tells_how": (
            ("空気を抜くことができます。", "抜くには弁を開けます。"),
            ("ポンプが鳴る。",),
        ),
        "reading": (("参考文献", "関連リンク："), ("ポンプ",)),
        "teaches": (("次のことを学びます：",), ("ポンプには：",)),
        "leads_on": (
            ("この章ではポンプを説明します。", "一緒に見ていきましょう。"),
            ("この写真は良い。",),
        ),
        "led_on": (("この章では次を扱う：",), ("ポンプには：",)),
        "caption_asked": (("図は何ですか。",), ("ポンプは何ですか。",)),
        "states_problem": (("問題：漏れる。", "エラー 3：空"), ("問題がある。",)),
        "problem_asked": (("問題は何ですか。",), ("何ですか。",)),
        "points": (
            ("第三章を参照してください。", "詳細は付録をご覧ください。"),
            ("弁を開け、計器を参照してください。", "弁を開けてください。"),
        ),
        "place_asked": (("どこで読めますか。",), ("漏れますか。",)),
        "part_asked": (("この章は何を言うか。",), ("漏れますか。",)),
    },
    "ko": {
        "locates": (("열쇠는 서랍에 있습니다.", "파일은 폴더에 저장됩니다."), ("펌프가 돈다.",)),
        "leans": (
            ("그러나 고장났다.", "이것은 중요하다.", "그 값은 유효하다.", "따라서 멈춘다."),
            ("이 장은 짧다.", "펌프가 운다.", "이음새가 샌다."),
        ),
        "clause": (("펌프가 우는 경우",), ("빨간 펌프",)),
        "judges": (("허용되지 않는다.", "기다려야 한다."), ("펌프가 운다.",)),
        "instructs": (
            ("밸브를 여십시오.", "단추를 누르세요."),
            ("3장을 참조하십시오.", "펌프가 운다."),
        ),
        "tells_how": (("공기를 뺄 수 있다.", "밸브를 통해 뺀다."), ("펌프가 운다.",)),
        "reading": (("참고 문헌", "관련 자료:"), ("펌프",)),
        "teaches": (("다음을 배웁니다:",), ("펌프에는:",)),
        "leads_on": (
            ("이 장에서는 펌프를 설명합니다.", "함께 살펴 보겠습니다."),
            ("이 사진은 좋다.",),
        ),
        "led_on": (("이 장에서는 다음을 다룬다:",), ("펌프에는:",)),
        "caption_asked": (("그림은 무엇입니까?",), ("펌프는 무엇입니까?",)),
        "states_problem": (("문제: 샌다.", "오류 3: 비었음"), ("문제가 있다.",)),
        "problem_asked": (("문제는 무엇입니까?",), ("무엇입니까?",)),
        "points": (
            ("3장을 참조하십시오.", "자세한 내용은 부록을 참고하세요."),
            ("밸브를 여십시오.",),
        ),
        "place_asked": (("어디서 읽습니까?",), ("샙니까?",)),
        "part_asked": (("이 장은 무엇을 말하나?",), ("샙니까?",)),
    },
    "ar": {
        "locates": (("المفتاح موجود في الدرج.", "يقع المتحف قرب النهر."), ("المضخة تعمل.",)),
        "leans": (
            ("لكن المضخة تعطلت.", "هذا مهم.", "وهي تعمل.", "لذلك تتوقف."),
            ("هذا الفصل قصير.", "المضخة تعمل.", "كماشة جديدة."),
        ),
        "clause": (("المضخة التي تعمل",), ("المضخة الحمراء",)),
        "judges": (("لا يسمح بذلك.", "يجب الانتظار."), ("المضخة تعمل.",)),
        "instructs": (("افتح الصمام.", "1. ثم اضغط الزر."), ("راجع الفصل الثالث.", "المضخة تعمل.")),
        "tells_how": (("يمكنك تفريغها.", "تفرغ باستخدام الصمام."), ("المضخة تعمل.",)),
        "reading": (("المراجع", "انظر أيضا:"), ("المضخة",)),
        "teaches": (("ستتعلم ما يلي:",), ("للمضخة:",)),
        "leads_on": (("يشرح هذا الفصل المضخات.", "سنتعلم عن الصمام."), ("هذه الصورة جيدة.",)),
        "led_on": (("يشرح هذا الفصل ما يلي:",), ("للمضخة:",)),
        "caption_asked": (("ماذا في الشكل؟",), ("ما المضخة؟",)),
        "states_problem": (("المشكلة: تسرب.", "خطأ 3: فارغ"), ("هذه مشكلة.",)),
        "problem_asked": (("ما المشكلة؟",), ("ما هي؟",)),
        "points": (
            ("انظر الفصل الثالث.", "لمزيد من المعلومات هناك ملحق."),
            ("انظر كيف تعمل.", "المضخة تعمل."),
        ),
        "place_asked": (("أين أقرأ هذا؟",), ("هل تسرب؟",)),
        "part_asked": (("ماذا يقول الفصل؟",), ("هل تسرب؟",)),
    },
    "hi": {
        "locates": (("चाबी दराज में रखी है।", "फ़ाइल फ़ोल्डर में सहेजी जाती है।"), ("पंप चलता है।",)),
        "leans": (
            ("लेकिन वह बंद है।", "यह ज़रूरी है।", "इसलिए रुकता है।", "इस मान से चलता है।"),
            ("यह अध्याय छोटा है।", "पंप चलता है।", "औरत आई।"),
        ),
        "clause": (("पंप जो चलता है",), ("लाल पंप",)),
        "judges": (("अनुमति नहीं है।", "रुकना चाहिए।"), ("पंप चलता है।",)),
        "instructs": (
            ("वाल्व खोलें।", "बटन दबाएँ।", "दरवाज़ा बंद कीजिए।"),
            ("अध्याय 3 देखें।", "रुकना चाहिए।", "टंकी में।"),
        ),
        "tells_how": (("इसे खोल सकते हैं।", "वाल्व के द्वारा निकालते हैं।"), ("पंप चलता है।",)),
        "reading": (("संदर्भ", "यह भी देखें:"), ("पंप",)),
        "teaches": (("आप सीखेंगे:",), ("पंप में:",)),
        "leads_on": (("इस अध्याय में पंप का वर्णन है।", "हम वाल्व पर चर्चा करेंगे।"), ("यह फोटो अच्छी है।",)),
        "led_on": (("इस अध्याय में ये विषय हैं:",), ("पंप में:",)),
        "caption_asked": (("चित्र में क्या है?",), ("पंप क्या है?",)),
        "states_problem": (("समस्या: टपकता है।", "त्रुटि 3: खाली"), ("यह समस्या है।",)),
        "problem_asked": (("समस्या क्या है?",), ("क्या है?",)),
        "points": (("देखें अध्याय 3।", "अधिक जानकारी परिशिष्ट में है।"), ("देखेंगे कि चलता है।",)),
        "place_asked": (("कहाँ पढ़ें?",), ("टपकता है?",)),
        "part_asked": (("अध्याय क्या कहता है?",), ("टपकता है?",)),
    },
}
"""Of each rule: texts that it tells, and texts that are near and that it doesn't."""

RULES = [(language, rule) for language, rules in SAID.items() for rule in rules]
BY_SUBJECT = {"subject", "names_kind"}
"""Rules that `DEFINED` and `UNDEFINED` have the examples of."""


def _rules(language: str) -> Spans:
    return load_lexicon(language).spans


def _tells(language: str, rule: str, text: str) -> bool:
    pattern: re.Pattern[str] = getattr(_rules(language), rule)
    return pattern.search(text) is not None


def _says_what(language: str, text: str) -> str:
    """Return the subject of a sentence that says what that is; "" of another sentence."""
    rules = _rules(language)
    found = rules.subject.search(text)
    if found is None or not found["verb"] or rules.clause.search(found["name"]):
        return ""
    return found["name"] if rules.names_kind.match(text, found.start("verb")) else ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_of_spans_has_examples(language: str) -> None:
    rules = _rules(language)
    has = {
        name for name in rules.__struct_fields__ if getattr(rules, name) not in (OFF, frozenset())
    }
    words = {"indefinite", "kinds", "named_kinds", "openings"}
    assert has - {*words, "calls"} == {*SAID[language], *BY_SUBJECT}


@pytest.mark.parametrize(("language", "rule"), RULES)
def test_a_rule_of_spans_tells_its_texts_alone(language: str, rule: str) -> None:
    told, others = SAID[language][rule]
    assert [text for text in told if not _tells(language, rule, text)] == []
    assert [text for text in others if _tells(language, rule, text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_says_what_a_thing_is_names_it(language: str) -> None:
    found = {text: _says_what(language, text).strip() for text in DEFINED[language]}
    assert found == DEFINED[language]
    assert [text for text in UNDEFINED[language] if _says_what(language, text)] == []


def _patterns(language: str) -> list[str]:
    return [
        name
        for name in _rules(language).__struct_fields__
        if name not in ("indefinite", "kinds", "named_kinds", "openings")
    ]


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
@pytest.mark.parametrize("run", ["(", " ", "\n", "- ", "--", "a", "a, ", ":", "(a", "you can "])
def test_rules_of_spans_read_any_run_in_time(language: str, run: str) -> None:
    """What is tried again at each place of a run takes minutes, and ends by the timeout of a test."""
    line = run * (16_000 // len(run))
    read = [_tells(language, name, line) in (True, False) for name in _patterns(language)]
    assert len(read) == len(_patterns(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_of_spans_read_a_long_line_of_its_language_in_time(language: str) -> None:
    sentences = [
        *DEFINED[language],
        *(text for told, _ in SAID[language].values() for text in told),
    ]
    lines = [f"{text.rstrip('.。।:：')} " for text in sentences]
    for line in lines:
        long = line * (16_000 // len(line))
        read = [_tells(language, name, long) in (True, False) for name in _patterns(language)]
        assert len(read) == len(_patterns(language))
