# conqret with the base install: judges, reports, and nothing that needs torch.
#   docker build -t conqret .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" conqret judge items.jsonl --model offline -o runs/first
# --user lets conqret write into your folder, and what it writes is yours. A model's key is named, and is in no image:
#   docker run … -e OPENAI_API_KEY conqret judge items.jsonl --model gpt-4o-mini -o runs/second
# Other extras: docker build --build-arg EXTRAS='[stats,plots]' -t conqret .
FROM python:3.11-slim

ARG EXTRAS=""
COPY . /src
RUN pip install --no-cache-dir "/src${EXTRAS}" -c /src/constraints.txt \
    && rm -rf /src \
    && useradd --create-home judge \
    && install --directory --owner judge /work \
    && chmod 1777 /home/judge

# Whoever it runs as has a home, which libraries keep their settings and caches in.
ENV HOME=/home/judge
USER judge
WORKDIR /work
ENTRYPOINT ["conqret"]
CMD ["--help"]
