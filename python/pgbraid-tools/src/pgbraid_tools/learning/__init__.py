"""Learn to rank: turn judged candidates (`client.ranking_features`) into a model that searches rank by
(`client.store_ranking_model`)."""

from pgbraid_tools.learning.learn import Learned, learn
from pgbraid_tools.learning.ranking_models import read_ranking_model, sums, write_ranking_model

__all__ = ["Learned", "learn", "read_ranking_model", "sums", "write_ranking_model"]
