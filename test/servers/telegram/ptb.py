"""A bot on python-telegram-bot: takes calls as JSON lines ({"n", "do", "args"}), answers each, and prints the updates it is given."""
import asyncio
import base64
import json
import sys

import telegram
import telegram.ext


def tell(**fields):
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def made(value):
    """Files are base64 in {"file", "name"}, classes of the library are {"class", …}."""
    if isinstance(value, list):
        return [made(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "file" in value:
        return telegram.InputFile(base64.b64decode(value["file"]), filename=value["name"], attach=value.get("attach", False))
    fields = {name: made(one) for name, one in value.items() if name != "class"}
    return getattr(telegram, value["class"])(**fields) if "class" in value else fields


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.to_dict() if isinstance(value, telegram.TelegramObject) else value


async def call(application, do, args):
    if do == "poll":
        application.add_handler(telegram.ext.TypeHandler(telegram.Update, heard))
        await application.initialize()
        await application.updater.start_polling(**args)
        await application.start()
        return True
    if do == "download":
        file = await application.bot.get_file(args["file_id"])
        return base64.b64encode(await file.download_as_bytearray()).decode()
    return plain(await getattr(application.bot, do)(**made(args)))


async def heard(update, _):
    tell(update=update.to_dict())


async def serve(application, n, do, args):
    try:
        tell(n=n, ok=True, result=await call(application, do, args))
    except telegram.error.TelegramError as error:
        more = getattr(error, "new_chat_id", None) or getattr(error, "_retry_after", None)
        tell(n=n, ok=False, result=f"{type(error).__name__}: {error.message}", more=more.total_seconds() if hasattr(more, "total_seconds") else more)


async def main():
    url, token = sys.argv[1:]
    builder = telegram.ext.Application.builder().token(token)
    application = builder.base_url(f"{url}/bot").base_file_url(f"{url}/file/bot").build()
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    tasks = []
    while line := await lines.readline():
        tasks.append(asyncio.ensure_future(serve(application, **json.loads(line))))


asyncio.run(main())
