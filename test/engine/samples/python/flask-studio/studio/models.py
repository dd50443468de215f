from sqlalchemy import Column, Integer, String, create_engine
from sqlalchemy.orm import declarative_base, scoped_session, sessionmaker

Base = declarative_base()
Session = scoped_session(sessionmaker(bind=create_engine("sqlite:///studio.db")))


class Track(Base):
    __tablename__ = "tracks"
    id = Column(Integer, primary_key=True)
    title = Column(String(200))
    artist = Column(String(200))
    cover = Column(String(200))
