import sqlite3

connection = sqlite3.connect("studio.db", check_same_thread=False)
