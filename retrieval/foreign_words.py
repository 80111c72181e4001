"""Programming words of German, Russian and Chinese with the English words that code says them by.

Written for this project from general knowledge; one meaning a line: English; German; Russian; Chinese. German and
Russian words are matched by their stems, Chinese ones wherever they stand.
"""

from __future__ import annotations

MEANINGS = """
error; fehler fehlermeldung; ошибка ошибочный; 错误 报错 出错 错误信息
exception raise; ausnahme wirft werfen; исключение выбрасывает выбрасывать; 异常 抛出
crash fail; absturz stürzt abbricht bricht scheitert schlägt scheitern; падает падать сбой; 崩溃 失败
warning; warnung warnen; предупреждение; 警告
file; datei; файл; 文件
directory folder; verzeichnis ordner; каталог папка директория; 目录 文件夹
subdirectory; unterverzeichnis; подкаталог; 子目录
path; pfad; путь; 路径
name; name benennen; имя; 名称 名字
rename; umbenennen; переименование переименовать; 改名 重命名
unnamed; unbenannt; безымянный; 未命名
function; funktion; функция; 函数
method; methode; метод; 方法
class; klasse; класс;
object; objekt; объект; 对象
attribute; attribut; атрибут; 属性
property; eigenschaft; свойство; 属性
variable; variable; переменная; 变量
global; global; глобальный; 全局
argument parameter; argument parameter; аргумент параметр; 参数
positional; positionsargument; позиционный; 位置参数
option; option; опция; 选项
optional; optional; необязательный; 可选
choice; auswahlmöglichkeit auswahl; выбор вариант; 选项 选择
return; rückgabe zurückgegeben liefert; возврат возвращает; 返回
result; ergebnis; результат; 结果
value; wert; значение; 取值
default; voreinstellung voreingestellt standard vorgabe; умолчание; 默认
type; typ; тип; 类型
string; zeichenkette string; строка строковый; 字符串
character; zeichen; символ знак; 字符
number; zahl nummer; число номер; 数字 编号
integer; ganzzahl ganzzahlig; целый; 整数
float; gleitkommazahl kommazahl; вещественный дробный; 浮点数 浮点
list; liste; список; 列表
array; array feld; массив; 数组
dict dictionary; wörterbuch; словарь; 字典
set; menge; множество; 集合
tuple; tupel; кортеж; 元组
sequence; folge sequenz; последовательность; 序列
item element; element eintrag; элемент; 元素 条目 项目
key; schlüssel; ключ;
primary; primärschlüssel; первичный; 主键
foreign; fremdschlüssel; внешний; 外键
index; index; индекс; 索引
iterator; iterator; итератор; 迭代器
loop; schleife; цикл; 循环
condition; bedingung; условие; 条件
module; modul; модуль; 模块
package; paket; пакет;
import; importieren import; импорт импортировать; 导入
database; datenbank; база; 数据库
table; tabelle; таблица; 表格 数据表
row; zeile; строка;
column; spalte; столбец колонка;
query; abfrage anfrage; запрос; 查询
join; verknüpfung join; соединение; 连接查询 联接
transaction; transaktion; транзакция; 事务
rollback; zurückrollen; откат откатывать; 回滚
migration; migration; миграция; 迁移
squash; zusammenfassen; объединение сжатие; 压缩合并 合并
backward reverse; rückgängig rückwärts; откат назад; 回滚 撤销
model; modell; модель; 模型
field; feld; поле; 字段
form; formular; форма; 表单
label; beschriftung; метка подпись; 标签
widget; steuerelement; виджет; 控件
button; schaltfläche knopf; кнопка; 按钮
window; fenster; окно; 窗口
mouse; maus; мышь; 鼠标
cursor; mauszeiger zeiger; курсор; 光标
template; vorlage; шаблон; 模板
view; ansicht; представление; 视图
page; seite; страница; 页面
url; adresse; адрес ссылка; 地址 网址
prefix; präfix vorsilbe; префикс; 前缀
suffix; suffix endung; суффикс окончание; 后缀
pattern; muster; шаблон образец; 模式 正则
regex; regulär; регулярный; 正则表达式
group; gruppe; группа; 分组
route; route; маршрут; 路由
request; anfrage; запрос; 请求
response; antwort; ответ; 响应
redirect; weiterleitung umleitung; перенаправление редирект; 重定向
header; kopfzeile; заголовок; 标头 请求头
cookie; cookie; куки;
session; sitzung; сессия сеанс; 会话
server; server; сервер; 服务器
client; klient client; клиент; 客户端
connection; verbindung; подключение соединение; 连接
network; netzwerk; сеть сетевой; 网络
user; benutzer nutzer; пользователь; 用户
password; passwort kennwort; пароль; 密码
permission; berechtigung; разрешение права; 权限
login; anmeldung anmelden; вход авторизация; 登录
command; befehl kommando; команда; 命令
program; programm programmname; программа; 程序 程序名
help; hilfe; справка помощь; 帮助
usage; verwendung; использование; 用法
output; ausgabe ausgeben; вывод выводить выводит; 输出
input; eingabe; ввод вход входной; 输入
print; drucken druckmethode ausgabe; печать печатать; 打印
write; schreiben; запись писать записывать; 写入 写到
read; lesen; чтение читать; 读取
save; speichern; сохранение сохранить сохранять; 保存
load; laden; загрузка загрузить; 加载
open; öffnen; открыть открытие; 打开
close; schließen; закрыть закрытие; 关闭
delete remove; löschen entfernen entfernt; удалять удаление удалить; 删除 移除
strip; abschneiden entfernen; удалить обрезать; 去掉 去除
create; erzeugen erstellen; создание создать создаёт; 创建 生成
generate; erzeugt generieren; генерировать порождает; 生成
add; hinzufügen ergänzen; добавлять добавить; 添加 增加 加入
update; aktualisieren; обновление обновить; 更新
copy; kopie kopieren kopiert; копия копирует копировать; 副本 复制
replace substitute; ersetzen ersetzt; замена заменять; 替换
substitute; einsetzen; подстановка подставить; 代入 替换
convert; umwandeln umwandlung; преобразование преобразовать; 转换
transform; transformieren; преобразование трансформер; 变换 转换器
parse; parsen zerlegen lesen; разбор разбирать; 解析
format; format; формат; 格式
compare; vergleichen verglichen vergleich; сравнение сравнивать; 比较
check; prüfen geprüft; проверка проверять; 检查
sort order; sortieren reihenfolge; сортировка порядок; 排序 顺序
search find; suchen suche; поиск искать; 查找 搜索
duplicate; mehrfach doppelt duplikat; повторяющийся дубликат; 重复
empty; leer leere; пустой; 空的
missing; fehlt fehlend; отсутствует отсутствовать; 缺少 缺失
ignore; ignorieren ignoriert; игнорировать игнорирует; 忽略
invalid; ungültig; неверный недопустимый; 无效 非法
wrong; falsch; неправильный неверный; 错误的
undefined; undefiniert; неопределённый; 未定义 没有定义
deprecated; veraltet; устаревший; 弃用 过时
cache; zwischenspeicher zwischengespeichert; кэш кэшировать кэшируются; 缓存
memory; speicher arbeitsspeicher; память; 内存
thread; thread faden; поток; 线程
process; prozess; процесс; 进程
lock; sperre; блокировка;
timeout; zeitüberschreitung; таймаут; 超时
date; datum; дата; 日期
time; zeit uhrzeit; время; 时间
year; jahr; год; 年份
digit; ziffer zweistellig; цифра двузначный; 位数
timezone; zeitzone; часовой; 时区
log logging; protokoll logausgabe; журнал лог логирование; 日志
logger; logger; логгер; 日志记录器
message; meldung nachricht; сообщение; 消息 信息
test; test; тест; 测试
line; zeile; строка линия;
multiline; mehrzeilig; многострочный; 多行
newline; zeilenumbruch leerzeile; перенос; 换行 空行
space whitespace; leerzeichen; пробел; 空格
dash hyphen; bindestrich; дефис; 连字符
underscore; unterstrich; подчёркивание; 下划线
quote; anführungszeichen; кавычка; 引号
bracket; klammer; скобка; 括号
text; text; текст; 文本 文字
language; sprache; язык; 语言
translation; übersetzung; перевод; 翻译
encoding; kodierung zeichenkodierung; кодировка; 编码
decorator; dekorator; декоратор; 装饰器
wrapper wrap; hülle umhüllt; обёртка оборачивает; 包装
annotation; annotation anmerkung; аннотация; 注解 注释
inheritance; vererbung; наследование; 继承
parent; elternobjekt elternteil; родитель родительский; 父对象 父类
child; kindobjekt kind; дочерний потомок; 子对象 子类
node; knoten; узел; 节点
tree; baum; дерево;
figure plot; abbildung diagramm; рисунок график; 图形 图表
image; bild; изображение картинка; 图像 图片
legend; legende; легенда; 图例
draggable; verschiebbar; перетаскиваемый; 拖动
axis axes; achse; ось; 坐标轴
point; punkt; точка;
color; farbe; цвет; 颜色
norm; normierung norm; нормировка; 归一化
backend; backend; бэкенд; 后端
serialize pickle; serialisieren; сериализация; 序列化
matrix; matrix; матрица; 矩阵
block; block; блок;
sparse; dünn; разреженный; 稀疏
dimension; dimension; измерение размерность; 维度
vector; vektor stützvektor; вектор; 向量
symbol; symbol; символ; 符号
expression; ausdruck teilausdruck; выражение; 表达式
expand; ausmultiplizieren ausmultipliziert; раскрывать раскрытие; 展开
fraction partial; bruch partialbruchzerlegung; дробь; 分式 部分分式
sum addition; summe; сумма; 求和
product; produkt; произведение; 乘积
factor coefficient; faktor; множитель коэффициент; 因子 系数
remainder mod; rest; остаток; 余数
division zero; null geteilt; деление ноль; 除以零
negation; negation; отрицание; 取反
real; reell; вещественный; 实数
imaginary; imaginär; мнимый; 虚数
coordinate; koordinate; координата; 坐标
base; basis; основание; 底数
evaluate eval; auswerten ausgewertet; вычислять вычисляется; 求值 计算
arithmetic operand; rechnen operand; арифметика операнд; 算术 运算
mask; maske; маска; 掩码
train fit; trainieren trainiert; обучение обучен; 训练
aggregate; aggregieren; агрегировать агрегирует; 聚合
length; länge; длина; 长度
slice; ausschnitt scheibe; срез; 切片
section; abschnitt; раздел; 章节 部分
manual; handbuch manpage; руководство; 手册
documentation; dokumentation; документация; 文档
config settings; einstellung konfiguration; настройка конфигурация; 配置 设置
environment; umgebung; окружение среда; 环境
install; installieren installation; установка установить; 安装
version; version; версия; 版本
""".strip()
"""One meaning a line, four columns parted by semicolons, words parted by blanks."""
