"""`punktum-server` under this interpreter, so that its process can be watched."""

from app.command_line import main

main()
