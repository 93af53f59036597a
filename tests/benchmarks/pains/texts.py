"""Hold the texts of the pains: Python's help (pydoc_data), questions about it, lines in several scripts, made vectors.

The help comes with Python, so a run needs no other texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from pydoc_data.topics import topics
from typing import Any

import numpy as np

from benchmarks.pains.engine import Chunk, Document, Engine, Query, Vector

# Returns a unit vector for each text.
Embed = Callable[[list[str]], Any]
SHORT, LONG = 60, 900

# Questions that the help answers, each with the topics that do.
QUESTIONS = (
    ("How do I make sure that a file is closed again?", "with context-managers"),
    ("How do I leave a loop early?", "break"),
    ("How do I skip to the next round of a loop?", "continue"),
    ("How can I change a variable of the enclosing function?", "nonlocal"),
    ("Which statement throws an exception?", "raise"),
    ("How do I catch an error and clean up afterwards?", "try compound exceptions"),
    ("What is an anonymous function?", "lambda"),
    ("How do I write a number in hexadecimal or binary?", "integers"),
    ("How do I step through a program to find a bug?", "debugger"),
    ("Which method makes an object callable?", "callable-types specialnames"),
    ("Which operators work on single bits?", "bitwise shifting"),
    ("How do I delete an item of a list?", "del typesseq-mutable"),
    ("What counts as false in a condition?", "truth booleans"),
    ("Which operator binds more tightly than another?", "operator-summary"),
    ("How do I print a number with two decimals?", "formatstrings"),
    ("How do I give back a value from a function?", "return"),
    ("How do I define a class that inherits from another?", "class compound"),
    ("How do I raise a number to a power?", "power"),
    ("Which statement does nothing?", "pass"),
    ("How do I take a part of a sequence?", "slicings typesseq subscriptions"),
    ("How do I wait for a coroutine?", "await async"),
    ("What may be a key of a dictionary?", "typesmapping dict types"),
    ("How do I check whether two names are the same object?", "comparisons objects"),
    ("How do I load a module of another package?", "import"),
    ("How do I say that a name belongs to the module?", "global naming"),
    ("How do I split a text at a separator?", "string-methods"),
    ("How does a generator produce values?", "yield"),
    ("How are complex numbers written?", "imaginary numbers"),
    ("How do I repeat code while a condition holds?", "while compound"),
    ("Which method is called when an attribute is missing?", "attribute-access specialnames"),
)
# Questions of people who have come to the wrong place.
OFF_TOPIC = (
    "How long do I boil an egg?",
    "What is the capital of Australia?",
    "When does the next train to Lyon leave?",
    "How do I get red wine out of a carpet?",
    "Who won the football world cup in 1998?",
    "How tall is Mount Kilimanjaro?",
    "Can dogs eat grapes?",
    "How do I renew my passport?",
    "What is a good recipe for lentil soup?",
    "How many moons does Jupiter have?",
    "How do I repot an orchid?",
    "What is the interest rate of a mortgage?",
    "Which vaccinations do I need for Kenya?",
    "How do I tune a guitar?",
    "When was the Eiffel Tower built?",
    "How much sleep does a baby need?",
    "What is the tax on tobacco?",
    "How do I remove a tick?",
    "Which wine goes with fish?",
    "How do I descale a coffee machine?",
    "What do hedgehogs eat in winter?",
    "How do I cancel my gym membership?",
    "What is the exchange rate of the Swiss franc?",
    "How do I knit a scarf?",
    "Where does the river Danube rise?",
    "What helps against hay fever?",
    "How do I change a bicycle tyre?",
    "Who painted the Night Watch?",
    "How warm is the sea in Crete in May?",
    "How do I apply for parental leave?",
)
# A line, and a query whose words it has, for scripts without spaces between words, and for lines that mix scripts.
WITHOUT_SPACES = (
    ("退货政策:顾客可以在三十天内无理由退货。", "怎么退货"),
    ("会员积分每年年底清零,请及时兑换礼品。", "积分兑换"),
    ("本店支持微信支付和支付宝付款。", "支付宝"),
    ("数据库备份每天凌晨两点自动执行。", "数据库备份时间"),
    ("服务器内存不足时会自动重启应用程序。", "内存不足"),
    ("员工请假需要提前三天向主管申请。", "请假申请"),
    ("发票将在订单完成后七个工作日内寄出。", "发票什么时候寄出"),
    ("如果忘记密码,可以通过手机验证码重置。", "忘记密码怎么办"),
    ("返品は商品到着後八日以内にご連絡ください。", "返品したい"),
    ("送料は五千円以上のご注文で無料になります。", "送料無料"),
    ("パスワードを忘れた場合は再設定画面から手続きしてください。", "パスワード再設定"),
    ("会議室の予約は社内カレンダーから行えます。", "会議室予約"),
    ("領収書はマイページから発行できます。", "領収書の発行"),
    ("サーバーの障害情報は公式サイトでお知らせします。", "障害情報"),
    ("有給休暇の申請は一週間前までに提出してください。", "有給休暇"),
    ("バックアップは毎晩自動的に作成されます。", "バックアップ"),
    ("ลูกค้าสามารถคืนสินค้าได้ภายในสามสิบวัน", "คืนสินค้า"),
    ("กรุณาเปลี่ยนรหัสผ่านทุกสามเดือน", "เปลี่ยนรหัสผ่าน"),
    ("ค่าจัดส่งฟรีเมื่อสั่งซื้อครบห้าร้อยบาท", "ค่าจัดส่ง"),
)
MIXED = (
    ("请在Kubernetes集群里重启nginx服务。", "nginx重启"),
    ("GitHub Actionsの設定でキャッシュを有効にする方法。", "Actions キャッシュ"),
    ("用Docker部署时要先设置环境变量DATABASE_URL。", "环境变量 DATABASE_URL"),
    ("Excelファイルのアップロードは10MBまでです。", "Excel アップロード"),
    ("使用Python脚本导出PDF报表。", "PDF报表"),
    ("VPNに接続できない場合はIT部門へ連絡してください。", "VPN接続"),
)
# A line, and a query that is a part of one of its words.
IDENTIFIER_PARTS = (
    ("Call getUserProfile before the page is shown.", "user profile"),
    ("The job runs src/payments/refund_handler.py every night.", "refund handler"),
    ("The client raises HTTPServerError after three attempts.", "server error"),
    ("Set max_connection_pool_size to twenty.", "connection pool"),
    ("The header is X-Request-Timeout.", "request timeout"),
    ("parseInvoiceNumber returns nothing for drafts.", "invoice number"),
)
COMPOUND_PARTS = (
    ("Der Krankenversicherungsnachweis liegt bei.", "Versicherungsnachweis"),
    ("Ihre Hausratversicherung endet im Mai.", "Versicherung"),
    ("Die Donaudampfschifffahrt wurde eingestellt.", "Dampfschifffahrt"),
    ("Der Grundstückskaufvertrag ist beurkundet.", "Kaufvertrag"),
    ("Das Bundesausbildungsförderungsgesetz wurde geändert.", "Ausbildungsförderung"),
    ("Die Rindfleischetikettierung ist Pflicht.", "Etikettierung"),
)


class Texts:
    """Hold the texts with their vectors. A test takes one topic of `share`."""

    def __init__(self, embed: Embed, share: int = 1) -> None:
        self._embed = embed
        self._known: dict[str, Vector] = {}
        # The engines that have the help.
        self.loaded: list[Engine] = []
        self.topics = {name: topics[name] for name in sorted(topics)[::share]}
        self.questions = [
            (text, set(answers.split()) & self.topics.keys())
            for text, answers in QUESTIONS
            if set(answers.split()) & self.topics.keys()
        ]

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            rows = np.asarray(self._embed(missing), np.float32)
            self._known |= dict(zip(missing, (row.tolist() for row in rows), strict=True))
        return [self._known[text] for text in texts]

    def query(self, text: str, **others: Any) -> Query:
        return Query(text, self.vectors([text])[0], **others)

    def documents(self, lines: Sequence[str], prefix: str) -> list[Document]:
        return [
            Document(f"{prefix}{number}", [Chunk(line, vector)])
            for number, (line, vector) in enumerate(zip(lines, self.vectors(lines), strict=True))
        ]

    @cached_property
    def passages(self) -> dict[str, list[str]]:
        """Return the first paragraphs of each topic."""
        found = {}
        seen: set[str] = set()
        for name, text in self.topics.items():
            paragraphs = dict.fromkeys(" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
            # Some paragraphs are in several topics.
            found[name] = [part for part in paragraphs if SHORT <= len(part) <= LONG and part not in seen][:10]
            seen.update(found[name])
        return found

    @cached_property
    def help(self) -> list[Document]:
        """Return a document for each topic, with its name as its title, and a document for each passage."""
        beginnings = [" ".join(text.split())[:LONG] for text in self.topics.values()]
        titled = zip(self.topics, beginnings, self.vectors(beginnings), strict=True)
        documents = [Document(name, [Chunk(text, vector)], title=name) for name, text, vector in titled]
        for name, passages in self.passages.items():
            for number, vector in enumerate(self.vectors(passages)):
                documents.append(Document(f"{name}/{number}", [Chunk(passages[number], vector)]))
        return documents

    @cached_property
    def misspelt(self) -> list[tuple[str, str]]:
        """Return words that are in few passages, each with two neighbouring letters exchanged, and as they are."""
        words = Counter(
            word
            for passages in self.passages.values()
            for passage in passages
            for word in set(re.findall(r"\b[a-z]{7,12}\b", passage))
        )
        rare = sorted(word for word, count in words.items() if count == 2 and word[3] != word[4])
        return [(f"{word[:3]}{word[4]}{word[3]}{word[5:]}", word) for word in rare[:: max(1, len(rare) // 40)]][:40]


def topic(document: str) -> str:
    return document.split("/")[0]


def made_vectors(count: int, dimensions: int, seed: int) -> Any:
    """Return unit vectors around a few dozen centres, as vectors of texts lie."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((40, dimensions))
    rows = centres[random.integers(0, len(centres), count)] + 0.7 * random.standard_normal((count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def rotation(dimensions: int) -> Any:
    """Return a matrix that turns a model's vectors into another model's: as good, and not to be compared."""
    matrix, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((dimensions, dimensions)))
    return matrix.astype(np.float32)
