"""Words that turn a question around: the two or more sides of an axis, in four languages.

A line is ``axis:side | language: words and phrases, separated by commas``. Words are compared by their stems, so one
form of each is enough; German separable verbs stand joined ("einschalten"). Two questions that stand on different
sides of an axis never share an answer.
"""

# ruff: noqa: E501  (a table reads best in long lines)
from __future__ import annotations

POLARITY = """
power:on | en: enable, activate, turn on, switch on, enabled | de: aktivieren, einschalten, aktiv, anschalten, eingeschaltet | ru: включить, включать, включен, включается, активировать, активен | zh: 启用, 开启, 激活
power:off | en: disable, deactivate, turn off, switch off, disabled | de: deaktivieren, ausschalten, abschalten, inaktiv, ausgeschaltet | ru: выключить, выключать, выключен, отключить, отключать, отключен, деактивировать | zh: 禁用, 停用, 关掉
gate:open | en: open, opened | de: öffnen, offen, geöffnet | ru: открыть, открывать, открывается, открыт | zh: 打开
gate:closed | en: close, closed, shut | de: schließen, geschlossen, schließt | ru: закрыть, закрывать, закрывается, закрыт | zh: 关闭
time:before | en: before, prior to | de: vor, bevor, vorher, zuvor | ru: до, перед, прежде чем, перед тем как | zh: 之前, 以前, 前
time:after | en: after, afterwards, following | de: nach, nachdem, danach | ru: после, после того как, затем | zh: 之后, 以后, 后
time:during | en: during, while | de: während | ru: во время, в течение, пока | zh: 期间, 过程中
time:since | en: since | de: seit | ru: с тех пор | zh: 自从
time:until | en: until, till | de: bis | ru: пока не | zh: 直到
bound:least | en: minimum, minimal, min, at least, lowest, smallest, no less than | de: minimum, minimal, mindestens, kleinste, niedrigste | ru: минимум, минимальный, не менее, наименьший, как минимум | zh: 最小, 最小值, 最少, 至少, 最低, 最短, 下限
bound:most | en: maximum, maximal, max, at most, highest, largest, biggest, no more than, up to | de: maximum, maximal, höchstens, größte, höchste, höchstwert, bis zu | ru: максимум, максимальный, не более, наибольший | zh: 最大, 最大值, 最多, 至多, 最高, 最长, 上限, 不超过
size:large | en: large, big, huge | de: groß, riesig | ru: большой, крупный, огромный | zh: 大
size:small | en: small, little, tiny | de: klein, winzig | ru: маленький, небольшой, мелкий | zh: 小
compare:more | en: more than, larger than, bigger than, greater than, above, over, exceeding, larger, bigger, greater, longer than | de: größer als, mehr als, über, oberhalb, größer | ru: больше, более, свыше, выше, крупнее | zh: 大于, 超过, 多于, 高于, 以上
compare:less | en: less than, smaller than, fewer than, below, under, smaller, fewer, shorter than | de: kleiner als, weniger als, unter, unterhalb, kleiner, weniger | ru: меньше, менее, ниже, мельче | zh: 小于, 少于, 低于, 不足, 以下
speed:fast | en: fast, quick, quickly | de: schnell | ru: быстро, быстрый | zh: 快
speed:faster | en: faster, quicker | de: schneller | ru: быстрее | zh: 更快
speed:slow | en: slow, slowly | de: langsam | ru: медленно, медленный | zh: 慢
speed:slower | en: slower | de: langsamer | ru: медленнее | zh: 更慢
degree:same | en: same, identical, equal, similar, similarity | de: gleich, identisch, ähnlich, gemeinsamkeit | ru: одинаковый, равный, похож, сходство | zh: 相同, 一样, 相等, 相似, 共同
degree:other | en: different, differ, difference, distinguish | de: verschieden, unterscheiden, unterschied, unterscheidet | ru: отличаться, отличается, отличие, разница, различие, различаться | zh: 不同, 区别, 差异, 差别
place:client | en: client, client side, client-side, frontend, front end | de: client, clientseitig, frontend | ru: клиент, клиентский, фронтенд | zh: 客户端, 前端
place:server | en: server, server side, server-side, backend, back end | de: server, serverseitig, backend | ru: сервер, серверный, бэкенд | zh: 服务器, 服务器端, 服务端, 后端
client:thin | en: thin, thin client | de: thin, thin client | ru: тонкий, тонкий клиент | zh: 瘦客户端
client:thick | en: thick, fat client, thick client | de: thick, fat client, thick client | ru: толстый, толстый клиент | zh: 胖客户端, 厚客户端
client:web | en: web client | de: web client, webclient | ru: веб клиент | zh: 网页客户端
client:mobile | en: mobile, mobile client | de: mobil, mobiler client | ru: мобильный, мобильный клиент | zh: 移动, 移动端, 移动客户端
sync:sync | en: sync, synchronous, synchronously | de: synchron | ru: синхронный, синхронно | zh: 同步
sync:async | en: async, asynchronous, asynchronously, nonblocking | de: asynchron | ru: асинхронный, асинхронно | zh: 异步
order:parallel | en: parallel, in parallel, concurrent, concurrently, simultaneously | de: parallel, gleichzeitig | ru: параллельно, параллельный, одновременно | zh: 并行, 并发, 同时
order:serial | en: sequential, sequentially, serial, one by one, one after another | de: sequentiell, sequenziell, nacheinander | ru: последовательно, последовательный, по очереди | zh: 串行, 顺序, 依次
flow:import | en: import | de: importieren, import | ru: импортировать, импорт, импортирует | zh: 导入
flow:export | en: export | de: exportieren, export | ru: экспортировать, экспорт, экспортирует | zh: 导出
flow:upload | en: upload | de: hochladen, hochlädt, upload | ru: выгрузить, выгружать, выгрузка | zh: 上传
flow:download | en: download | de: herunterladen, download | ru: скачать, скачивать, скачивание | zh: 下载
flow:input | en: input, incoming, inbound | de: eingabe, eingehend | ru: ввод, входящий, входной | zh: 输入, 传入, 入站
flow:output | en: output, outgoing, outbound | de: ausgabe, ausgehend | ru: вывод, исходящий, выходной | zh: 输出, 传出, 出站
flow:read | en: read, load | de: lesen, einlesen, auslesen, laden, liest | ru: прочитать, читать, считать, прочесть, чтение, читает | zh: 读取, 读, 加载
flow:write | en: write | de: schreiben | ru: записать, записывать, запись | zh: 写入
access:readonly | en: read only, read-only, readonly, immutable | de: schreibgeschützt, nur lesbar | ru: только для чтения, доступный только для чтения | zh: 只读
access:writable | en: writable, read write, mutable | de: beschreibbar | ru: доступный для записи, для записи | zh: 可写
life:create | en: create | de: erstellen, anlegen, erzeugen | ru: создать, создавать, создание, создается | zh: 创建, 新建, 建立
life:delete | en: delete, remove, erase | de: löschen, entfernen, lösch | ru: удалить, удалять, удаление, стереть, удаляется | zh: 删除, 移除, 清除
life:add | en: add, append, insert | de: hinzufügen, einfügen | ru: добавить, добавлять, вставить | zh: 添加, 增加, 新增
life:drop | en: drop | de: verwerfen | ru: отбросить | zh: 丢弃
setup:install | en: install, installation | de: installieren, installation | ru: установить пакет, поставить пакет | zh: 安装
setup:uninstall | en: uninstall | de: deinstallieren | ru: деинсталлировать | zh: 卸载
enrol:in | en: register | de: registrieren | ru: зарегистрировать, регистрировать, регистрация, регистрируется | zh: 注册
enrol:out | en: unregister, deregister | de: deregistrieren | ru: разрегистрировать | zh: 注销
change:up | en: increase, raise, grow, enlarge, extend | de: erhöhen, vergrößern, steigern | ru: увеличить, увеличивать, повысить | zh: 增大, 提高, 扩大, 增多
change:down | en: decrease, reduce, lower, shrink, lessen | de: verringern, verkleinern, reduzieren, senken | ru: уменьшить, уменьшать, снизить, сократить | zh: 减少, 减小, 降低, 缩小
right:allow | en: allow, permit, grant, accept, allowed, permitted | de: erlauben, zulassen, gewähren, gestatten, erlaubt | ru: разрешить, разрешать, разрешено, разрешен | zh: 允许, 授予, 接受
right:deny | en: deny, forbid, prohibit, revoke, reject, refuse, block, denied | de: verbieten, verweigern, entziehen, ablehnen, blockieren, verboten | ru: запретить, запрещать, запрещено, запрещен, отозвать, отклонить, заблокировать | zh: 拒绝, 禁止, 撤销权限, 阻止
need:required | en: required, mandatory, obligatory, compulsory | de: erforderlich, verpflichtend, obligatorisch, pflicht | ru: обязательный, обязателен, обязательны | zh: 必需, 必填, 必须的
need:optional | en: optional | de: optional, freiwillig | ru: необязательный, необязательны, опциональный | zh: 可选, 选填
rank:first | en: first, initial, initially | de: erste, zuerst, anfangs | ru: первый, первая, первое, сначала | zh: 第一, 首个, 首次, 第一次, 第一条, 第一个
rank:last | en: last, most recent, final | de: letzte, zuletzt, jüngste | ru: последний, последняя, последнее | zh: 最后, 最近, 最后一次, 最近一次, 最后一个, 最后一条, 上一次
rank:next | en: next, subsequent | de: nächste, folgende | ru: следующий, следующая | zh: 下一个, 下一次, 下一条
rank:previous | en: previous, preceding | de: vorherige, vorige | ru: предыдущий, предыдущая, прошлый | zh: 上一个, 前一个, 上一条
sort:up | en: ascending, asc | de: aufsteigend | ru: по возрастанию, возрастание | zh: 升序
sort:down | en: descending, desc | de: absteigend | ru: по убыванию, убывание | zh: 降序
fill:full | en: full | de: voll | ru: полный, заполнен, заполнится, заполненной | zh: 满
fill:empty | en: empty | de: leer | ru: пуст, пустой, пустая | zh: 空
motion:start | en: start, begin, launch, boot | de: starten, beginnen | ru: запустить, запускать, начать, старт, стартовать | zh: 启动, 开始
motion:stop | en: stop, halt, terminate, quit, end | de: stoppen, anhalten, beenden | ru: остановить, останавливать, завершить, прекратить | zh: 停止, 终止, 结束
motion:pause | en: pause, suspend | de: pausieren, unterbrechen | ru: приостановить | zh: 暂停, 挂起
motion:resume | en: resume, continue | de: fortsetzen, weiterführen | ru: возобновить, продолжить | zh: 恢复, 继续
link:on | en: connect, attach, mount | de: verbinden, anschließen | ru: подключить, подключиться, подключаться, присоединить | zh: 连接到, 接入, 挂载
link:off | en: disconnect, detach, unmount | de: trennen, abkoppeln | ru: отсоединить | zh: 断开, 卸下
session:in | en: log in, sign in, login, authenticate, authentication, log on | de: anmelden, einloggen, authentifizieren, anmeldung | ru: войти, авторизоваться, авторизация, аутентифицироваться, авторизацию | zh: 登录, 认证, 身份验证, 登陆
session:out | en: log out, sign out, logout | de: abmelden, ausloggen | ru: выйти, разлогиниться | zh: 登出, 退出登录
lock:on | en: lock | de: sperren | ru: блокировать | zh: 锁定, 加锁
lock:off | en: unlock | de: entsperren | ru: разблокировать | zh: 解锁
cipher:on | en: encrypt, encryption | de: verschlüsseln, verschlüsselung | ru: зашифровать, шифровать, шифрование | zh: 加密
cipher:off | en: decrypt, decryption | de: entschlüsseln | ru: расшифровать | zh: 解密
pack:on | en: compress, zip, encode, serialize | de: komprimieren, kodieren, serialisieren | ru: сжать, сжимать, закодировать, сериализовать | zh: 压缩, 编码, 序列化
pack:off | en: decompress, unzip, decode, deserialize | de: dekomprimieren, dekodieren, deserialisieren | ru: распаковать, раскодировать, десериализовать | zh: 解压, 解码, 反序列化
shown:on | en: show, display, visible | de: anzeigen, zeigen, sichtbar, einblenden | ru: показать, показывать, отобразить, видимый | zh: 显示, 可见, 展示
shown:off | en: hide, hidden, invisible | de: ausblenden, verbergen, versteckt, unsichtbar | ru: скрыть, скрывать, невидимый | zh: 隐藏, 不可见
include:in | en: include, including | de: einschließen, einschließlich | ru: включая, включить в | zh: 包含, 包括
include:out | en: exclude, excluding, except, other than, apart from | de: ausschließen, außer, ausgenommen | ru: исключить, исключая, кроме | zh: 排除, 除了, 除外
outcome:good | en: succeed, success, successful | de: gelingen, erfolgreich, erfolg | ru: успех, успешно, успешный | zh: 成功, 通过测试
outcome:bad | en: fail, failure, failed | de: fehlschlagen, scheitern, misslingen | ru: неудача, неуспешно | zh: 失败
proof:sign | en: sign, signature | de: signieren, signatur | ru: подписать, подписывать, подпись | zh: 签名, 签署
proof:verify | en: verify, verification | de: verifizieren | ru: верифицировать | zh: 验证签名
public:yes | en: public | de: öffentlich | ru: публичный, открытый доступ | zh: 公开, 公有, 公共
public:no | en: private | de: privat | ru: приватный, закрытый доступ | zh: 私有, 私密
inside:in | en: internal, inside, local | de: intern, innen, lokal | ru: внутренний, внутри, локальный | zh: 内部, 本地
inside:out | en: external, outside, remote | de: extern, außen | ru: внешний, снаружи, удаленный | zh: 外部, 远程
host:source | en: source, from source | de: quelle | ru: источник | zh: 源
host:target | en: target, destination | de: ziel | ru: приемник, назначение | zh: 目标
phase:run | en: runtime, run time, at runtime | de: laufzeit | ru: время работы, во время работы, во время выполнения, на ходу | zh: 运行时
phase:build | en: build time, compile time | de: bauzeit, übersetzungszeit | ru: время сборки, во время сборки, во время компиляции | zh: 编译时, 构建时
direction:up | en: upgrade | de: hochstufen | ru: обновить до | zh: 升级
direction:down | en: downgrade, roll back, rollback, revert, undo | de: herabstufen, zurückrollen, rückgängig machen, rückgängig, zurücknehmen | ru: откатить, откат, отменить, откатывать | zh: 降级, 回滚, 回退, 撤销
period:second | en: every second, per second | de: jede sekunde, pro sekunde, sekündlich | ru: каждую секунду, раз в секунду, ежесекундный | zh: 每秒
period:minute | en: every minute, per minute | de: jede minute, pro minute | ru: каждую минуту, раз в минуту, ежеминутный | zh: 每分钟
period:hour | en: every hour, per hour, once an hour, hourly | de: jede stunde, pro stunde, stündlich | ru: каждый час, раз в час, ежечасный, ежечасно | zh: 每小时, 每个小时
period:day | en: every day, per day, once a day, daily | de: jeder tag, pro tag, täglich | ru: каждый день, раз в день, ежедневный, ежедневно | zh: 每天, 每日
period:week | en: every week, per week, once a week, weekly | de: jede woche, pro woche, wöchentlich | ru: каждую неделю, раз в неделю, еженедельный | zh: 每周, 每星期
period:month | en: every month, per month, once a month, monthly | de: jeder monat, pro monat, monatlich | ru: каждый месяц, раз в месяц, ежемесячный | zh: 每月, 每个月
amount:all | en: all, every, each, whole, entire | de: alle, jede, sämtliche, ganz, gesamt | ru: все, каждый, весь, всех, всем | zh: 所有, 全部, 每个, 每, 都
amount:any | en: any | de: beliebig, irgendein | ru: любой, какой-нибудь, какие-нибудь, какой-либо | zh: 任何, 任意
amount:some | en: some, several, few | de: einige, manche, mehrere | ru: некоторые, несколько | zh: 部分, 一些, 某些
amount:only | en: only, just, solely, exclusively | de: nur, lediglich, ausschließlich | ru: только, лишь, исключительно | zh: 只, 仅, 只有, 仅仅, 只能
amount:both | en: both | de: beide | ru: оба, обе | zh: 两者, 双方
"""

NEGATION = """
not:not | en: not | de: nicht | ru: не | zh: 不, 没, 没有, 未, 非, 无, 无法, 不会, 不能, 不要, 不是, 不可以, 不可, 不再
not:never | en: never | de: nie, niemals | ru: никогда | zh: 从不, 从未, 绝不, 永不
not:no | en: no, none, nothing, nobody, nowhere, neither, nor | de: kein, keine, keiner, nichts, niemand, nirgends, weder | ru: нет, нельзя, ни, никто, ничто, ничего, нигде | zh: 别
not:without | en: without, lacking, missing | de: ohne, fehlend | ru: без, отсутствует | zh: 缺少, 缺失
not:unless | en: unless | de: sofern nicht | ru: разве что | zh: 除非
not:avoid | en: avoid, prevent, skip, ignore, bypass, omit | de: vermeiden, verhindern, überspringen, ignorieren | ru: избежать, предотвратить, пропустить, игнорировать | zh: 避免, 防止, 跳过, 忽略
not:instead | en: instead, rather than | de: anstatt, stattdessen, anstelle | ru: вместо | zh: 而不是, 代替
"""

QUANTIFIERS = "amount"
"""The axis whose sides are quantifiers."""
