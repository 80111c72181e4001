"""Words that mean the same in a question about documentation, in four languages.

A line is ``concept | language: words and phrases``. ``do:`` marks actions, whose place in a sentence says nothing (active
or passive, verb first or last). Short on purpose: a missed synonym costs a look-up, a false one a wrong answer.
"""

# ruff: noqa: E501  (a table reads best in long lines)
from __future__ import annotations

SYNONYMS = """
do:limit | en: limit, restrict, cap, bound | de: begrenzen, beschränken, einschränken, limitieren | ru: ограничить, ограничивать | zh: 限制, 限定
do:set | en: configure, set, set up, specify, define | de: setzen, konfigurieren, einstellen, festlegen, angeben, definieren | ru: задать, задавать, настроить, настраивать, указать, указывать, установить, устанавливать, определить | zh: 设置, 配置, 设定, 设为, 设成, 设置为, 指定, 定义
do:declare | en: declare | de: deklarieren | ru: объявить | zh: 声明
do:change | en: change, modify, alter, edit | de: ändern, verändern, bearbeiten, modifizieren | ru: изменить, изменять, поменять, сменить | zh: 修改, 更改, 改变, 变更
do:run | en: run, execute | de: ausführen, laufen, läuft | ru: выполнить, выполнять, выполняется | zh: 运行, 执行
do:call | en: call, invoke | de: aufrufen | ru: вызвать, вызывать, вызывается, вызвано | zh: 调用
do:implement | en: implement, develop | de: implementieren | ru: реализовать, написать, разработать | zh: 编写, 实现, 写, 开发
do:convert | en: convert, transform | de: umwandeln, konvertieren, umformen | ru: преобразовать, преобразовывать, конвертировать | zh: 转换, 转换为, 转换成, 转为, 转成, 转化为
do:store | en: store, save, keep | de: speichern, ablegen, aufbewahren | ru: хранить, хранится, сохранить, сохранять | zh: 保存, 存放, 存储, 储存
do:cache | en: cache | de: cachen, zwischenspeichern | ru: кэшировать, кешировать | zh: 缓存
do:check | en: check, validate | de: prüfen, überprüfen, validieren | ru: проверить, проверять, проверка, проверяется | zh: 校验, 检查, 验证
do:get | en: get, obtain, retrieve, fetch | de: bekommen, erhalten, abrufen, holen | ru: получить, получать | zh: 获取, 得到, 取得
do:find | en: find, locate, look up | de: finden, auffinden | ru: найти, находить | zh: 找到, 查找
do:handle | en: handle, process | de: behandeln, verarbeiten | ru: обработать, обрабатывать | zh: 处理
do:use | en: utilize, employ | de: verwenden, benutzen, nutzen | ru: использовать, применять
do:support | en: support, supported | de: unterstützen, unterstützt | ru: поддерживать, поддерживает, поддерживается | zh: 支持, 受支持
do:recommend | en: recommend, suggest, advise, recommended | de: empfehlen, empfohlen, ratsam | ru: рекомендовать, советовать | zh: 建议, 推荐
do:happen | en: happen, occur, take place | de: passieren, geschehen | ru: происходить, происходит, случиться, случится | zh: 发生
do:trigger | en: trigger, fire | de: auslösen, ausgelöst, triggern | ru: инициировать | zh: 触发
do:test | en: test | de: testen | ru: тестировать | zh: 测试
do:paginate | en: paginate, page through, pagination | de: blättern, paginieren | ru: листать | zh: 分页
do:iterate | en: iterate, loop | de: iterieren | ru: перебрать, обойти | zh: 遍历, 迭代
do:share | en: share | de: teilen | ru: делиться | zh: 共享, 分享
do:pass | en: send, transmit | de: übergeben, senden, übertragen | ru: передать, передавать, отправить, отправлять | zh: 传递, 发送
do:stream | en: stream | de: streamen | ru: потоково | zh: 流式传输, 流式
do:mock | en: mock, fake, stub | de: mocken | ru: мокать | zh: 模拟, 仿造
do:replace | en: replace, substitute | de: ersetzen, austauschen | ru: заменить, подменить, заменять, подменять | zh: 替换
do:schedule | en: schedule, plan | de: planen | ru: запланировать, планировать | zh: 安排, 调度, 计划
do:approve | en: approve | de: genehmigen, freigeben | ru: утвердить, утверждать, одобрить, утвержден | zh: 批准, 审批
do:split | en: split, divide | de: aufteilen, zerlegen | ru: разбить, разделить | zh: 切分, 拆分, 分割
do:merge | en: merge, combine, join | de: zusammenführen | ru: объединить, слить | zh: 合并
do:build | en: build, compile | de: bauen, kompilieren | ru: собрать, скомпилировать | zh: 构建, 编译
do:sort | en: sort, order by | de: sortieren | ru: сортировать, отсортировать | zh: 排序, 排列
do:log | de: protokollieren, loggen | ru: журналировать, логировать | zh: 记录
do:wait | en: wait, await | de: warten | ru: ждать, ожидать | zh: 等待
do:return | en: return, returned | de: zurückgeben, liefern | ru: возвращать, вернуть, возвращает | zh: 返回
do:throw | en: throw | de: werfen | ru: бросить, выбросить | zh: 抛出
do:retry | en: retry, retried | de: wiederholen, erneut versuchen | ru: повторить, повторять | zh: 重试
do:serve | en: serve | de: bereitstellen | ru: обслуживать | zh: 提供
number | en: number, count, amount, quantity | de: anzahl, zahl | ru: количество, число | zh: 次数, 数量, 个数, 数目
page | en: page | de: seite | ru: страница | zh: 页, 页面
directory | en: directory, folder, dir | de: verzeichnis, ordner | ru: папка, каталог, директория | zh: 目录, 文件夹
application | en: application, app | de: anwendung, applikation, app | ru: приложение | zh: 应用程序, 应用
database | en: database, db, databases | de: datenbank | ru: база данных, бд | zh: 数据库
environment | en: environment variable, env var, env variable | de: umgebungsvariable, umgebungsvariablen | ru: переменная окружения, переменные окружения, переменную окружения, переменная среды, переменные среды | zh: 环境变量
cli | en: command line, cli | de: kommandozeile, befehlszeile | ru: командная строка, командной строки | zh: 命令行
config | en: configuration, config | de: konfiguration, einstellungen, einstellung | ru: конфигурация, настройка, настройки, настроек | zh: 配置文件
parameter | en: parameter, param, parameters | de: parameter | ru: параметр | zh: 参数
argument | en: argument, arg, args | de: argument | ru: аргумент | zh: 实参
option | en: option, flag, switch | de: option, schalter | ru: опция, ключ запуска, флаг | zh: 选项, 标志
error | en: error | de: fehler | ru: ошибка | zh: 错误, 报错
exception | en: exception | de: ausnahme, exception | ru: исключение | zh: 异常
function | en: function, func | de: funktion | ru: функция | zh: 函数
method | en: method | de: methode | ru: метод | zh: 方法
class | en: class | de: klasse | ru: класс | zh: 类
hook | en: hook | de: hook | ru: хук | zh: 钩子
event | en: event | de: ereignis, ereignisse, event | ru: событие | zh: 事件
header | en: header | de: header | ru: заголовок | zh: 请求头, 头部
module | en: module | de: modul | ru: модуль | zh: 模块
field | en: field | de: feld, felder | ru: поле | zh: 字段
variable | en: variable | de: variable | ru: переменная | zh: 变量
repository | en: repository, repo | de: repository, repo | ru: репозиторий | zh: 仓库, 代码库
documentation | en: documentation, docs | de: dokumentation, doku | ru: документация | zh: 文档说明
default | en: default, by default, default value | de: standard, standardmäßig, standardwert, vorgabewert | ru: по умолчанию | zh: 默认, 缺省, 默认值, 缺省值
value | en: value | de: wert | ru: значение | zh: 值
times | en: times | de: mal | ru: раз | zh: 次
work | en: work | de: funktionieren | ru: работать, работает | zh: 工作
log | en: log, log file, logfile | de: protokoll, logdatei, protokolldatei, protokolldateien, logdateien, log | ru: журнал, лог, файл журнала, файлы журнала | zh: 日志, 日志文件
loglevel | en: log level, logging level | de: protokollstufe, log level | ru: уровень журналирования, уровень логирования | zh: 日志级别
unittest | en: unit test | de: unit test | ru: модульный тест, модульные тесты, модульном тесте, модульных тестах | zh: 单元测试
handler | en: handler | de: handler, behandler | ru: обработчик | zh: 处理函数, 处理器
timeout | en: timeout, time out | de: timeout, zeitüberschreitung, zeitlimit | ru: таймаут, тайм аут, тайм-аут | zh: 超时, 超时时间
mean | en: mean, meaning, stand for | de: bedeuten, bedeutung, heißen, bedeutet, heißt | ru: означать, значить, означает, значит, смысл | zh: 意思, 含义, 表示, 意味着
reason | en: reason | de: grund | ru: причина | zh: 原因
custom | en: custom, own, my own, your own | de: eigen, eigene, benutzerdefiniert | ru: собственный, свой, свою, пользовательский | zh: 自定义
concurrency | en: concurrency | de: nebenläufigkeit | ru: параллелизм | zh: 并发性
string | en: string | de: zeichenkette, string | ru: строка, строку | zh: 字符串
between | en: between, across, among | de: zwischen | ru: между | zh: 之间, 间
body | en: body | de: rumpf, body | ru: тело | zh: 请求体
asks-why | en: why | de: warum, weshalb, wieso | ru: почему, отчего | zh: 为什么, 为何
asks-what-for | de: wozu, wofür | ru: зачем, для чего
asks-how | en: how | de: wie, womit | ru: как | zh: 如何, 怎么, 怎样
asks-when | en: when | de: wann | ru: когда | zh: 什么时候, 何时
asks-where | en: where | de: wo | ru: где | zh: 哪里, 哪儿
asks-who | en: who, whom, whose | de: wer | ru: кто, кому, кем, кого | zh: 谁
asks-how-many | en: how many, how much | de: wie viele, wie viel | ru: сколько | zh: 多少
condition | en: if, whether, once | de: wenn, falls, sobald, ob | ru: если
or | en: or | de: oder | ru: или | zh: 或, 或者, 还是
as | en: as | de: als | ru: в качестве | zh: 作为
result | en: result | de: ergebnis, ergebnisse, resultat | ru: результат | zh: 结果
query | en: query | de: abfrage | ru: выборка | zh: 查询
request | en: request | de: anfrage, request | ru: запрос | zh: 请求
existing | en: exist, exists, existing | de: existieren, vorhanden, existiert | ru: существовать, существует, есть | zh: 存在
version | en: version | de: version | ru: версия, версии, версию | zh: 版本
"""

WHOLE_WORDS = """
时间 时区 时长 时钟 时序 实时 定时 延时 对象 对齐 对话 对称 用户 用例 用法 会话 会议 会员 有效 有序 有限 中断 中文 中心 中央 中间件 内存
内容 内核 内联 内置 上下文 上级 上线 使能 能力 功能 性能 地址 地图 过滤 过期 过载 着色 了解 来源 去重 还原 还款 个人 以太网 要求 要点 应用域
作用域 种类 种子 得分 成员 由来 起点 及时 向量 向导 方向 从属 就绪 方案 为空 和弦 求和 并集 并行度 是非 那么 与非 与门 把手 被动 将来 让步
以下 所有者 所属 才能 也许 请求数 了结 目的地 目的 取得 获得 值得 经过 通过率 想法 需要量 主要 必要 重要 次要 概要 摘要 而且 其他 其中
"""
"""Chinese words that hold a character which alone would be a stop word."""

CLASSIFIERS = frozenset(
    {"parameter", "option", "exception", "function", "method", "class", "hook", "error", "argument"}
)
"""What an identifier is: "the --dry-run option" and "--dry-run" are the same."""
