from .archive import *
from .catalogue import Catalogue
from .sql import connection

catalogue = Catalogue(connection)
