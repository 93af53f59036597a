"""Learning to rank: from judged candidates (`client.ranking_features`) to a model that searches rank by
(`client.store_ranking_model`)."""

from pgbraid_tools.learning.learn import Learned, learn
from pgbraid_tools.learning.models import read_model, sums, write_model

__all__ = ["Learned", "learn", "read_model", "sums", "write_model"]
